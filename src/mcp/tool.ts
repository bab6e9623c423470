/**
 * A tool: its description for the model, its schema and its work. One schema gives the type
 * of the arguments, the JSON Schema on the wire and the check.
 */
import type { Caller } from '../core/http/caller.ts';
import { assertCheckable, problemOf } from './check.ts';
import type { ContentBlock } from './content.ts';
import { escapeJson, JsonPieces, type JsonText } from './json-text.ts';
import type { Schema, Static } from './schema.ts';

export interface ToolContext<C extends Caller = Caller> {
  readonly caller: C;
  /** Calls back when the client cancels the call or closes the response; at once where it has. */
  onCancelled(callback: () => void): void;
  /** Calls back once the answer has left, or the client is gone: for what it holds until then. */
  onSent(callback: () => void): void;
  /**
   * Tells the client how far the work is, if it asked to be told. Each number is greater than the
   * one before. A slow call of a tool that never tells is told of all the same, at every beat.
   */
  progress(done: number, total?: number, message?: string): void;
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

export interface ToolDefinition<C extends Caller, S extends Schema> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** An object schema. */
  readonly inputSchema: S;
  /** An object schema of `structuredContent`. */
  readonly outputSchema?: Schema;
  readonly annotations: ToolAnnotations;
  call(args: Static<S>, context: ToolContext<C>): Promise<ToolResult>;
}

export interface Tool<C extends Caller = Caller> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Schema;
  readonly outputSchema?: Schema;
  readonly annotations: ToolAnnotations;
  /** Says which argument is wrong and what is expected; `undefined` when all are right. */
  problemOf(args: unknown): string | undefined;
  /** Only ever called with arguments in which `problemOf` found no problem. */
  call(args: unknown, context: ToolContext<C>): Promise<ToolResult>;
}

export function defineTool<S extends Schema, C extends Caller = Caller>(
  definition: ToolDefinition<C, S>,
): Tool<C> {
  assertCheckable(definition.inputSchema);
  return {
    ...definition,
    call: (args, context) => definition.call(args as Static<S>, context),
    problemOf: (args) => problemOf(definition.inputSchema, args),
  };
}

/** The usual result: an object, for clients that read it and as text for those that do not. */
export function jsonResult(value: object): ToolResult {
  const text = JSON.stringify(value);
  return {
    content: [{ type: 'text', text }],
    structuredContent: value,
    json: `"content":[{"type":"text","text":${JSON.stringify(text)}}],"structuredContent":${text}`,
  };
}

/** The same for a large object, given as JSON in pieces; `content` is made while it is sent. */
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
 * A refusal. It carries no `structuredContent`: clients would hold it against the output
 * schema, which describes success.
 */
export function errorResult(error: object, ...texts: readonly string[]): ToolResult {
  const content = [JSON.stringify(error), ...texts];
  return { content: content.map((text) => ({ type: 'text', text })), isError: true };
}
