/**
 * A tool: its description for the model, its schema and its implementation. One schema gives the
 * type of the arguments, the JSON Schema on the wire and the argument validation.
 *
 * Arguments are validated here and nowhere else: `defineTool` returns a tool whose `call` validates
 * its arguments first.
 */
import type { Caller } from '../core/http/caller.ts';
import type { TraceContext } from '../core/http/trace-context.ts';
import type { Icon } from '../core/pages/icons.ts';
import { assertCheckable, problemOf } from './check.ts';
import type { ContentBlock } from './content.ts';
import type { Peer } from './elicitation/peer.ts';
import { escapeJson, JsonPieces, type JsonText } from './json-text.ts';
import type { Schema, Static } from './schema.ts';

export interface ToolContext<C extends Caller = Caller> {
  readonly caller: C;
  /** The trace that the client says the call belongs to. */
  readonly trace?: TraceContext | undefined;
  /** Calls back when the client cancels the call or closes the response; at once where it has. */
  onCancelled(callback: () => void): void;
  /** Calls back once the answer is sent, or the client is gone: to release what it held until then. */
  onSent(callback: () => void): void;
  /**
   * Sends a progress notification if the client sent a progress token. Each number must be greater
   * than the one before. For a tool that never calls this, a slow call reports heartbeats.
   */
  progress(done: number, total?: number, message?: string): void;
  /** What the client can be asked for. */
  readonly peer: Peer;
  /** Whether the token of the call is still good: for a call that has waited for a person. */
  isAlive(): Promise<boolean>;
}

export interface ToolAnnotations {
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

export interface ToolResult {
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: object;
  /** The two as members of JSON, which are sent instead of them: each is serialised once. */
  readonly json?: JsonText;
  readonly isError?: boolean;
}

/** What `tools/list` shows of a tool. */
interface ToolDescription<S extends Schema> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** An object schema. */
  readonly inputSchema: S;
  /** An object schema of `structuredContent`. */
  readonly outputSchema?: Schema;
  readonly annotations: ToolAnnotations;
  readonly icons?: readonly Icon[];
}

interface ToolDefinition<C extends Caller, S extends Schema> extends ToolDescription<S> {
  /** Validates what the schema cannot express; returns the problem, `undefined` if there is none. */
  validate?(args: Static<S>): string | undefined;
  /** Answers invalid arguments, and writes the audit line of the call where the program has one. */
  onInvalidArguments?(problem: string, args: unknown, context: ToolContext<C>): Promise<ToolResult>;
  /** Called with valid arguments only. */
  call(args: Static<S>, context: ToolContext<C>): Promise<ToolResult>;
}

export interface Tool<C extends Caller = Caller> extends ToolDescription<Schema> {
  /** Validates the arguments, then runs the tool. */
  call(args: unknown, context: ToolContext<C>): Promise<ToolResult>;
}

export function defineTool<S extends Schema, C extends Caller = Caller>(
  definition: ToolDefinition<C, S>,
): Tool<C> {
  const { validate, onInvalidArguments = invalidArguments, call, ...described } = definition;
  assertCheckable(definition.inputSchema);
  return {
    ...described,
    call: (args, context) => {
      const problem = problemOf(definition.inputSchema, args) ?? validate?.(args as Static<S>);
      if (problem !== undefined) return onInvalidArguments(problem, args, context);
      return call(args as Static<S>, context);
    },
  };
}

async function invalidArguments(message: string): Promise<ToolResult> {
  return errorResult({ error: 'invalid_arguments', message, status: 400 });
}

/** An object, as structured content and as text for clients that do not read that. */
export function jsonResult(value: object): ToolResult {
  const text = JSON.stringify(value);
  return {
    content: [{ type: 'text', text }],
    structuredContent: value,
    json: `"content":[{"type":"text","text":${JSON.stringify(text)}}],"structuredContent":${text}`,
  };
}

/** The same for a large object, given as JSON in pieces; `content` is generated while it is sent. */
export function largeResult(object: JsonPieces): ToolResult {
  const json = new JsonPieces(function* () {
    yield '"content":[{"type":"text","text":"';
    for (const piece of object) yield escapeJson(piece);
    yield '"}],"structuredContent":';
    yield* object;
  });
  return { content: [], json };
}

/**
 * A refusal. It has no `structuredContent`: clients would validate it against the output schema,
 * which describes success.
 */
export function errorResult(error: object, ...texts: readonly string[]): ToolResult {
  const content = [JSON.stringify(error), ...texts];
  return { content: content.map((text) => ({ type: 'text', text })), isError: true };
}
