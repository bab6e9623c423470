/**
 * The errors of Ollama and vLLM, compared with the published source of Ollama 0.5.7 to 0.13.0 and of
 * vLLM 0.6 to 0.11, including the messages of Go's and Python's parsers.
 */
import { type Answer, JSON_TYPE, jsonAnswer } from './answer.ts';

export type Json = Readonly<Record<string, unknown>>;
type Parsed = { readonly asked: Json } | { readonly problem: string };

const OLLAMA_TYPE = 'application/json; charset=utf-8';
/** The first version whose errors are nested, as those of OpenAI are. */
const NESTED_SINCE = [0, 10, 1];

export function ollamaProblem(status: number, error: string): Answer {
  return { ...jsonAnswer({ error }, OLLAMA_TYPE), status };
}

/** The OpenAI-compatible paths of Ollama. */
export function ollamaRefusal(status: number, message: string): Answer {
  const type = status === 400 ? 'invalid_request_error' : 'not_found_error';
  const error = { message, type, param: null, code: null };
  return { ...jsonAnswer({ error }, OLLAMA_TYPE), status };
}

export function vllmRefusal(
  version: string,
  status: number,
  type: string,
  message: string,
): Answer {
  const about = { message, type, param: null, code: status };
  const value = isNested(version) ? { error: about } : { object: 'error', ...about };
  return { ...jsonAnswer(value, JSON_TYPE), status };
}

/** A GET of what is a POST, as gin and FastAPI refuse it. */
export function methodNotAllowed(server: string | undefined): Answer {
  const allow = ['Allow', 'POST'];
  if (server === 'vllm') {
    const answer = jsonAnswer({ detail: 'Method Not Allowed' });
    return { ...answer, status: 405, headers: [...allow, ...answer.headers] };
  }
  const headers = ['Content-Type', 'text/plain', ...allow];
  return { status: 405, headers, body: '405 method not allowed', honeytokens: 0 };
}

function isNested(version: string): boolean {
  const parts = version.split('.').map(Number);
  const at = NESTED_SINCE.findIndex((wanted, index) => (parts[index] ?? 0) !== wanted);
  return at === -1 || (parts[at] ?? 0) > NESTED_SINCE[at]!;
}

/** The body that is no JSON, as FastAPI reports it through vLLM. */
export function vllmBadJson(version: string, body: string): Answer {
  const { at, found } = failureOf(body);
  const error =
    found === 'name' ? 'Expecting property name enclosed in double quotes' : 'Expecting value';
  const message =
    body === ''
      ? "[{'type': 'missing', 'loc': ('body',), 'msg': 'Field required', 'input': None}]"
      : `[{'type': 'json_invalid', 'loc': ('body', ${at}), 'msg': 'JSON decode error', 'input': {}, 'ctx': {'error': '${error}'}}]`;
  return vllmRefusal(version, 400, isNested(version) ? 'Bad Request' : 'BadRequestError', message);
}

/** As `encoding/json` reads it into a struct with this name. */
export function parseAsGo(body: string, struct: string): Parsed {
  if (body.trim() === '') return { problem: 'missing request body' };
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return { problem: goSyntaxError(body) };
  }
  if (value === null) return { asked: {} };
  if (typeof value === 'object' && !Array.isArray(value)) return { asked: value as Json };
  const kind = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  return { problem: `json: cannot unmarshal ${kind} into Go value of type api.${struct}` };
}

const EXPECTED = {
  value: 'looking for beginning of value',
  name: 'looking for beginning of object key string',
  colon: 'after object key',
  pair: 'after object key:value pair',
  element: 'after array element',
} as const;

function goSyntaxError(body: string): string {
  const { at, found } = failureOf(body);
  if (at >= body.length) return 'unexpected EOF';
  const character = body[at] === "'" ? "\\'" : body[at]!;
  return `invalid character '${character}' ${EXPECTED[found]}`;
}

/** Where V8 stopped, and what it looked for there. */
function failureOf(body: string): { readonly at: number; readonly found: keyof typeof EXPECTED } {
  try {
    JSON.parse(body);
    return { at: 0, found: 'value' };
  } catch (error) {
    const { message } = error as Error;
    if (/end of JSON input|Unterminated/.test(message)) return { at: body.length, found: 'value' };
    const token = /^Unexpected token '(.)'/su.exec(message)?.[1];
    const given = /at position (\d+)/.exec(message)?.[1];
    const at =
      given === undefined ? Math.max(0, body.indexOf(token ?? body[0] ?? '')) : Number(given);
    if (/property name/.test(message) && !/after/.test(message)) return { at, found: 'name' };
    if (/after property name/.test(message)) return { at, found: 'colon' };
    if (/after property value/.test(message)) return { at, found: 'pair' };
    if (/after array element/.test(message)) return { at, found: 'element' };
    return { at, found: 'value' };
  }
}
