/**
 * What all tools of the notes server have in common: the `vault` argument, strict arguments, coded
 * refusals, and one audit line a call, whatever comes of it. The line never holds content.
 */
import type { Caller } from '../../core/http/caller.ts';
import { describeError, type Log } from '../../core/log/log.ts';
import type { CallOrigin, RecentCalls } from '../../core/recent-calls/recent-calls.ts';
import { type OptionalSchema, type Schema, type Static, Type } from '../../mcp/schema.ts';
import {
  defineTool,
  jsonResult,
  type Tool,
  type ToolAnnotations,
  type ToolContext,
  type ToolResult,
} from '../../mcp/tool.ts';
import type { Canaries } from '../canaries/canaries.ts';
import { deliveredPaths } from '../canaries/delivered-paths.ts';
import type { OpenVault } from '../vaults/open-vault.ts';
import type { OpenVaults } from '../vaults/open-vaults.ts';
import { argumentProblem } from './argument-problem.ts';
import { fitResult } from './fit.ts';
import { asNotesError, NotesError, refusalResult } from './notes-error.ts';

export interface NotesParts {
  readonly vaults: OpenVaults;
  readonly log: Log;
  /** Keeps the last calls; a server has it. */
  readonly recent?: RecentCalls;
  /** Tells of canary notes; a server has it. */
  readonly canaries?: Pick<Canaries, 'delivered'>;
  readonly now: () => Date;
  /** Tools that are switched off. */
  readonly hiddenTools?: ReadonlySet<string>;
  /** The tools that a client sees; for a tool, set. */
  readonly offered?: ReadonlySet<string>;
}

/** What a tool works with, beside its arguments. */
export interface NotesCall {
  /** The named vault or the default vault. */
  readonly open: OpenVault;
  readonly parts: NotesParts;
  readonly context: ToolContext;
}

type Properties = Readonly<Record<string, Schema>>;
type ArgumentsOf<P extends Properties> = Static<ReturnType<typeof Type.Object<P>>>;

export interface NotesTool<P extends Properties> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: P;
  readonly annotations: ToolAnnotations;
  /** Returns the result for the client; throws a refusal. */
  run(args: ArgumentsOf<P>, call: NotesCall): Promise<object>;
}

/** Whether the tool has the `vault` argument. */
export type VaultChoice = 'takes vault' | 'no vault';

const VAULT: OptionalSchema<string> = Type.Optional(
  Type.String({ description: 'Default vault when absent.' }),
);
const MAX_LOGGED_PATH_LENGTH = 300;
const MAX_LOGGED_VAULT_LENGTH = 64;

export const READS: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };
/** Changes or removes something that is there, if only undoably. */
export const WRITES: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  openWorldHint: false,
};
/** Only adds: never changes or removes a text. */
export const ADDS: ToolAnnotations = { ...WRITES, destructiveHint: false };

/** A tool that is given its parts when the server starts. */
export function defineNotesTool<const P extends Properties>(
  tool: NotesTool<P>,
  choice?: VaultChoice,
): DefinedTool {
  const { name, annotations } = tool;
  const isReadOnly = annotations.readOnlyHint === true;
  return Object.assign((parts: NotesParts) => notesTool(parts, tool, choice), {
    toolName: name,
    isReadOnly,
  });
}

export type DefinedTool = ((parts: NotesParts) => Tool<Caller>) & {
  readonly toolName: string;
  readonly isReadOnly: boolean;
};

function notesTool<const P extends Properties>(
  parts: NotesParts,
  tool: NotesTool<P>,
  choice: VaultChoice = 'takes vault',
): Tool<Caller> {
  const properties =
    choice === 'takes vault' ? { ...tool.arguments, vault: VAULT } : tool.arguments;
  const { arguments: _, run, ...described } = tool;
  const isReadOnly = tool.annotations.readOnlyHint === true;
  const audit: Audited = (args, context, work) =>
    audited(parts, tool.name, choice, args, context, work);
  return defineTool({
    ...described,
    inputSchema: Type.Object(properties, { additionalProperties: false }),
    validate: (args) => (isReadOnly ? undefined : argumentProblem(args)),
    onInvalidArguments: (problem, args, context) =>
      audit(args, context, async () => {
        throw new NotesError('invalid_arguments', problem);
      }),
    call: (args, context) =>
      audit(args, context, async () => {
        const { vault, ...own } = args as { readonly vault?: string };
        const open = parts.vaults.get(vault);
        const result = await run(own as ArgumentsOf<P>, { open, parts, context });
        if (parts.canaries) {
          const paths = deliveredPaths(tool.name, isReadOnly, own, result);
          await parts.canaries.delivered(context.caller, open.name, paths, tool.name);
        }
        // Tools that read make their own pages, and may be asked for long ones.
        return jsonResult(isReadOnly ? result : fitResult(result));
      }),
  });
}

type Audited = (
  args: unknown,
  context: ToolContext,
  work: () => Promise<ToolResult>,
) => Promise<ToolResult>;

async function audited(
  { log, vaults, recent, now }: NotesParts,
  tool: string,
  choice: VaultChoice,
  args: unknown,
  context: ToolContext,
  work: () => Promise<ToolResult>,
): Promise<ToolResult> {
  const beganMs = performance.now();
  let outcome = 'ok';
  let result: ToolResult | undefined;
  const end = vaults.activity.begin();
  try {
    result = await work();
    return result;
  } catch (error) {
    const refusal = asNotesError(error);
    outcome = refusal?.code ?? 'internal_error';
    if (refusal === undefined) throw error;
    if (refusal.cause !== undefined) {
      log.warn('tool_problem', { tool, cause: describeError(refusal.cause) });
    }
    result = refusalResult(refusal);
    return result;
  } finally {
    end();
    const asked = (args ?? {}) as Concerned;
    const answered = (result?.structuredContent ?? {}) as Concerned;
    const byDefault = choice === 'takes vault' ? vaults.defaultName : undefined;
    const vault = firstText(answered.vault, asked.vault, byDefault);
    const path = firstText(answered.path, asked.path);
    const { caller } = context;
    const durationMs = Math.round(performance.now() - beganMs);
    const bytes = sizeOf(result);
    log.always('info', 'tool_call', {
      user: caller.user,
      client_id: caller.clientId,
      ...(context.trace && { trace_id: context.trace.traceId }),
      tool,
      ...(vault !== undefined && { vault: vault.slice(0, MAX_LOGGED_VAULT_LENGTH) }),
      ...(path !== undefined && { path: path.slice(0, MAX_LOGGED_PATH_LENGTH) }),
      outcome,
      duration_ms: durationMs,
      bytes,
    });
    recent?.add(caller, originOf(caller), {
      atMs: now().getTime(),
      tool,
      target: vault,
      place: path,
      refusal: outcome === 'ok' ? undefined : outcome,
      durationMs,
      bytes,
    });
  }
}

function originOf({ signInId = '', clientId }: Caller): CallOrigin {
  return { signInId, clientId };
}

/** What a call is about, in its arguments and better in its result. */
interface Concerned {
  readonly vault?: unknown;
  readonly path?: unknown;
}

function firstText(...values: unknown[]): string | undefined {
  return values.find((value) => typeof value === 'string');
}

function sizeOf(result: ToolResult | undefined): number {
  let bytes = 0;
  for (const block of result?.content ?? []) {
    if (block.type === 'text') bytes += Buffer.byteLength(block.text);
  }
  return bytes;
}
