/** The configuration that `init` writes, and what is wrong with an answer in it. */

import type { ValuePrograms } from '../../core/config/value.ts';
import { publicUrlOf } from '../../core/http/http-url.ts';
import { hostLiteral } from '../../core/net/address.ts';
import { blockedBaseUrlHost } from '../../core/net/guard.ts';
import { isLoopbackName } from '../../core/net/loopback-name.ts';
import { parseConfig } from '../config/read-config.ts';
import { parseRequestUrl } from '../request/request-url.ts';
import { type Preset, presetOf } from './init-presets.ts';

export interface InitFlags {
  readonly 'public-url': string | undefined;
  readonly user: string | undefined;
  readonly 'password-file': string | undefined;
  readonly target: string | undefined;
  readonly 'base-url': string | undefined;
  readonly secret: string | undefined;
}

export interface Answers {
  readonly publicUrl: string;
  readonly user: string;
  /** As the file holds it: a hash. */
  readonly password: string;
  /** The name of a preset, or `none`. */
  readonly target: string;
  readonly baseUrl: string;
  /** `env:NAME` or `file:/path`. */
  readonly secret: string;
}

const BEARER = { Authorization: 'Bearer $' };

/** A key of the file that one answer decides. */
export type AnswerKey = 'server.public_url' | 'users[0].name' | 'users[0].targets[0].base_url' | '';

const FINE: Answers = {
  publicUrl: 'http://localhost:2019',
  user: 'user',
  password: 'literal:password',
  target: 'other',
  baseUrl: 'https://api.example.com',
  secret: 'exec:/skipped',
};

/**
 * The problem of the configuration at this key, or at any key if it is empty, with the given answers and
 * valid ones for the others. The secret need not exist yet.
 */
export function answerProblem(key: AnswerKey, answer: Partial<Answers>): string | undefined {
  const text = configText({ ...FINE, ...answer, secret: FINE.secret });
  const exec: ValuePrograms = { allowEnvironment: () => {}, resolve: () => ({ kind: 'skipped' }) };
  const { problems } = parseConfig(text, 'config.yaml', { env: {}, exec });
  return problems.errors.find((problem) => (problem.key ?? '').startsWith(key))?.message;
}

/** The name of the environment variable or the path of the file; undefined for other text. */
export function secretReference(
  text: string,
): { readonly kind: 'env' | 'file'; readonly name: string } | undefined {
  const [, kind, name] = /^(?:(env):([A-Za-z_]\w*)|(file):(.+))$/.exec(text)?.filter(Boolean) ?? [];
  return kind && name ? { kind: kind as 'env' | 'file', name } : undefined;
}

export function configText(answers: Answers): string {
  const { publicUrl, user, password, target, baseUrl } = answers;
  const preset = presetOf(target);
  const network = preset && privateAddress(baseUrl);
  const listen = loopbackListen(publicUrl);
  return `# Made by gateway init. examples/gateway.yaml shows every key; gateway validate checks a change.
server:
  # The URL that clients reach. The gateway itself speaks plain HTTP on port 2019: on the
  # internet, put a proxy with TLS in front of it.
  public_url: ${quoted(publicUrl)}
${listen === undefined ? '' : listenText(listen)}${network === undefined ? '' : openNetwork(network)}
users:
  - name: ${quoted(user)}
    password: ${quoted(password)}
${preset ? targetText(target, preset, answers) : '    targets: []\n'}`;
}

function listenText(listen: string): string {
  return `  # A loopback URL: nothing outside this machine can connect.
  listen: ${quoted(listen)}
`;
}

const DEFAULT_PORT = '2019';

/** The loopback address with the port of the URL; with TLS, a proxy listens on that port. */
function loopbackListen(publicUrl: string): string | undefined {
  if (publicUrlOf(publicUrl) === undefined) return undefined;
  const { protocol, hostname, port } = new URL(publicUrl);
  if (!isLoopbackName(hostname)) return undefined;
  const host = hostname === 'localhost' ? '127.0.0.1' : hostname;
  return `${host}:${protocol === 'https:' ? DEFAULT_PORT : port || '80'}`;
}

function openNetwork(address: string): string {
  return `
  # An address on your own network, opened on purpose; others of it stay closed.
  allow_networks: [${quoted(address)}]
`;
}

function targetText(id: string, preset: Preset, { baseUrl, secret }: Answers): string {
  const url = parseRequestUrl(baseUrl);
  const prefix = 'problem' in url ? '' : url.matchPath.replace(/\/$/, '');
  const paths = preset.paths?.map((path) => quoted(`${prefix}${path}`)).join(', ');
  const own = `\${${preset.secret}}`;
  const headers = Object.entries(preset.headers ?? BEARER).map(
    ([name, template]) => `            ${name}: ${quoted(template.replace('$', own))}\n`,
  );
  const others = Object.entries(preset.others ?? {}).map(
    // While an answer is checked, none of them needs to be there.
    ([name, reference]) =>
      `      ${name}: ${quoted(secret === FINE.secret ? secret : reference)}\n`,
  );
  return `    # The model never sees these, and they are removed from whatever comes back.
    secrets:
${others.join('')}      ${preset.secret}:${preset.minted ? `\n${filled(preset.minted, 8, secret)}` : ` ${quoted(secret)}\n`}    targets:
      - id: ${quoted(id)}
        # The model reads this.
        description: ${quoted(preset.description)}
        base_url: ${quoted(baseUrl)}
        methods: [${(preset.methods ?? ['GET']).join(', ')}]
${paths === undefined ? '' : `        paths: [${paths}]\n`}        rate_limit: 60/m
${
  preset.approve
    ? `        # You are asked before such a request is sent.
        approve: [${preset.approve.join(', ')}]
`
    : ''
}        inject:
${headers.length > 0 ? `          headers:\n${headers.join('')}` : ''}${preset.sign ? `          sign:\n${filled(preset.sign, 12, own)}` : ''}`;
}

/** Indents the lines and replaces a `$` at the end of one by the value. */
function filled(lines: readonly string[], indentation: number, value: string): string {
  const text = lines.map((line) => line.replace(/ \$$/, () => ` ${quoted(value)}`));
  return text.map((line) => `${' '.repeat(indentation)}${line}\n`).join('');
}

/** The address that `allow_networks` must open for this URL, if it is a private one. */
function privateAddress(baseUrl: string): string | undefined {
  const url = parseRequestUrl(baseUrl);
  if ('problem' in url || blockedBaseUrlHost(url.host, []) === undefined) return undefined;
  return hostLiteral(url.host)?.text ?? '127.0.0.1';
}

/** A YAML text in double quotes, which is JSON. */
function quoted(text: string): string {
  return JSON.stringify(text);
}
