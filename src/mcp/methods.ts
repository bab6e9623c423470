/**
 * The methods that both protocol eras share. Each returns the members of its result as JSON text,
 * around which the eras put their own.
 */
import type { Caller } from '../core/http/caller.ts';
import type { Call } from './call.ts';
import type { JsonText } from './json-text.ts';
import { INVALID_PARAMS, isObject, type Params, RESOURCE_NOT_FOUND, RpcError } from './jsonrpc.ts';
import type { McpOptions } from './options.ts';
import type { CompletionRequest } from './provider.ts';
import type { ToolResult } from './tool.ts';

export interface Method<C extends Caller> {
  /** For how long a client may keep the result; absent where results are not kept. */
  readonly ttlMs?: number;
  /** The parameter that the `Mcp-Name` header of a modern request repeats. */
  readonly named?: 'name' | 'uri';
  run(params: Params, call: Call<C>): Promise<JsonText>;
}
export type Methods<C extends Caller> = ReadonlyMap<string, Method<C>>;

/** Lists change only with a release or a reload, of which clients are notified. */
const LIST_TTL_MS = 60_000;
/** Contents may change at any time. */
const NO_TTL_MS = 0;
const MAX_COMPLETIONS = 100;
const NO_ARGUMENTS = Object.freeze({});

export function createMethods<C extends Caller>(options: McpOptions<C>): Methods<C> {
  const { resources, prompts, skills, complete } = options;
  const methods = new Map<string, Method<C>>();
  const tools = new Map(options.tools.map((tool) => [tool.name, tool]));
  // JSON leaves out the functions of a tool.
  const toolList = Promise.resolve(`"tools":${JSON.stringify(options.tools)}`);

  methods.set('tools/list', { ttlMs: LIST_TTL_MS, run: () => toolList });
  methods.set('tools/call', {
    named: 'name',
    run: async (params, call) => {
      const name = stringOf(params, 'name');
      const tool = tools.get(name);
      if (tool === undefined) throw new RpcError(INVALID_PARAMS, `unknown tool ${quoted(name)}`);
      return describeResult(await tool.call(params.arguments ?? NO_ARGUMENTS, call));
    },
  });

  if (resources !== undefined) {
    methods.set('resources/list', {
      ttlMs: NO_TTL_MS,
      run: async (params, call) => members(await resources.list(cursorOf(params), call.caller)),
    });
    methods.set('resources/templates/list', {
      ttlMs: LIST_TTL_MS,
      run: async (_params, call) =>
        members({ resourceTemplates: await resources.templates(call.caller) }),
    });
    methods.set('resources/read', {
      ttlMs: NO_TTL_MS,
      named: 'uri',
      run: async (params, call) => {
        const uri = stringOf(params, 'uri');
        const contents = await resources.read(uri, call.caller);
        if (contents === undefined) throw new ResourceNotFound(uri);
        return members({ contents });
      },
    });
  }

  if (prompts !== undefined) {
    methods.set('prompts/list', {
      ttlMs: LIST_TTL_MS,
      run: async (_params, call) => members({ prompts: await prompts.list(call.caller) }),
    });
    methods.set('prompts/get', {
      named: 'name',
      run: async (params, call) => {
        const name = stringOf(params, 'name');
        const prompt = await prompts.get(name, textsOf(params.arguments), call.caller, call.peer);
        if (prompt === undefined) {
          throw new RpcError(INVALID_PARAMS, `unknown prompt ${quoted(name)}`);
        }
        return members(prompt);
      },
    });
  }

  if (skills !== undefined) {
    methods.set('skills/list', {
      ttlMs: NO_TTL_MS,
      run: async (params, call) => members(await skills.list(cursorOf(params), call.caller)),
    });
    methods.set('skills/get', {
      ttlMs: NO_TTL_MS,
      run: async (params, call) => {
        const skill = await skills.get(stringOf(params, 'uri'), call.caller);
        if (skill === undefined) throw new RpcError(INVALID_PARAMS, 'there is no such skill');
        return members({ skill });
      },
    });
  }

  if (complete !== undefined) {
    methods.set('completion/complete', {
      run: async (params, call) => {
        const values = await complete(completionOf(params), call.caller);
        return members({
          completion: {
            values: values.slice(0, MAX_COMPLETIONS),
            total: values.length,
            hasMore: values.length > MAX_COMPLETIONS,
          },
        });
      },
    });
  }
  return methods;
}

/** What the server can do, as `initialize` and `server/discover` declare it. */
export function capabilitiesOf<C extends Caller>(options: McpOptions<C>): object {
  return {
    tools: { listChanged: true },
    ...(options.resources && { resources: options.resources.watch ? { subscribe: true } : {} }),
    ...(options.prompts && { prompts: {} }),
    ...(options.complete && { completions: {} }),
    ...(options.skills && { extensions: { 'io.modelcontextprotocol/skills': {} } }),
  };
}

/** The modern era has no code of its own for this; the legacy era has one. */
export class ResourceNotFound extends RpcError {
  readonly legacyCode = RESOURCE_NOT_FOUND;

  constructor(uri: string) {
    super(INVALID_PARAMS, 'there is no such resource', { data: { uri } });
  }
}

function describeResult({ content, structuredContent, json, isError }: ToolResult): JsonText {
  return json ?? members({ content, structuredContent, isError });
}

/** A name as the caller gave it, short enough for a message. */
function quoted(name: string): string {
  return JSON.stringify(name.slice(0, 128));
}

function members(result: object): string {
  return JSON.stringify(result).slice(1, -1);
}

function cursorOf(params: Params): string | undefined {
  return params.cursor === undefined ? undefined : stringOf(params, 'cursor');
}

function stringOf(params: Params, name: string): string {
  const value = params[name];
  if (typeof value === 'string') return value;
  throw new RpcError(INVALID_PARAMS, `\`${name}\` must be a string`);
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  if (value === undefined || value === null) return {};
  if (isObject(value) && Object.values(value).every((item) => typeof item === 'string')) {
    return value as Readonly<Record<string, string>>;
  }
  throw new RpcError(INVALID_PARAMS, '`arguments` must be an object of strings');
}

function completionOf(params: Params): CompletionRequest {
  const { ref, argument, context } = params;
  if (!isObject(ref) || !isObject(argument)) {
    throw new RpcError(INVALID_PARAMS, '`ref` and `argument` must be objects');
  }
  const asked = {
    argument: { name: stringOf(argument, 'name'), value: stringOf(argument, 'value') },
    known: textsOf(isObject(context) ? context.arguments : undefined),
  };
  switch (ref.type) {
    case 'ref/prompt':
      return { ref: { type: ref.type, name: stringOf(ref, 'name') }, ...asked };
    case 'ref/resource':
      return { ref: { type: ref.type, uri: stringOf(ref, 'uri') }, ...asked };
    default:
      throw new RpcError(INVALID_PARAMS, '`ref.type` must be "ref/prompt" or "ref/resource"');
  }
}
