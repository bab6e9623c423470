/**
 * What all tools of the notes server have in common: the `vault` argument, strict arguments, coded
 * refusals, and one audit line a call, whatever comes of it. The line never holds content.
 */
import type { Caller } from '../../core/http/caller.ts';
import { describeError, type Log } from '../../core/log/log.ts';
import type { RecentCalls } from '../../core/recent-calls/recent-calls.ts';
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
import { asNotesError, invalidArguments, refusalResult } from './notes-error.ts';

export interface NotesParts {
  readonly vaults: OpenVaults;
  readonly log: Log;
  /** Lists the last calls in the console. */
  readonly recent?: RecentCalls;
  /** Reports answers with canary notes. */
  readonly canaries?: Pick<Canaries, 'delivered'>;
  readonly now: () => Date;
  /** Tools that are switched off. */
  readonly hiddenTools?: ReadonlySet<string>;
  /** The tools that a client sees; set when a tool is called. */
  readonly offered?: ReadonlySet<string>;
}

export interface NotesCall {
  /** The named vault or the default vault. */
  readonly open: OpenVault;
  readonly parts: NotesParts;
  readonly context: ToolContext;
}

type Properties = Readonly<Record<string, Schema>>;
/** The arguments of a tool, as its schema describes them. */
export type ArgumentsOf<P extends Properties> = Static<ReturnType<typeof Type.Object<P>>>;

export interface NotesTool<P extends Properties> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: P;
  readonly annotations: ToolAnnotations;
  /** False for a tool that is not about one vault. */
  readonly takesVault?: boolean;
  /** Returns the result for the client; throws a refusal. */
  run(args: ArgumentsOf<P>, call: NotesCall): Promise<object>;
}

const VAULT: OptionalSchema<string> = Type.Optional(
  Type.String({ description: 'Default vault when absent.' }),
);
const MAX_LOGGED_PATH_LENGTH = 300;
const MAX_LOGGED_VAULT_LENGTH = 64;

export const READS: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };
/** Changes or removes something, even if that can be undone. */
export const WRITES: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  openWorldHint: false,
};
/** Only adds: never changes or removes a text. */
export const ADDS: ToolAnnotations = { ...WRITES, destructiveHint: false };

/** A tool that is given its parts when the server starts. */
export function defineNotesTool<const P extends Properties>(tool: NotesTool<P>): DefinedTool {
  const isReadOnly = tool.annotations.readOnlyHint === true;
  const define = (parts: NotesParts) => notesTool(parts, tool, isReadOnly);
  return Object.assign(define, { toolName: tool.name, isReadOnly });
}

export type DefinedTool = ((parts: NotesParts) => Tool<Caller>) & {
  readonly toolName: string;
  readonly isReadOnly: boolean;
};

function notesTool<const P extends Properties>(
  parts: NotesParts,
  { arguments: own, takesVault = true, run, ...described }: NotesTool<P>,
  isReadOnly: boolean,
): Tool<Caller> {
  const { name } = described;
  const properties = takesVault ? { ...own, vault: VAULT } : own;
  const defaultVault = takesVault ? parts.vaults.defaultName : undefined;
  const audit = (args: unknown, context: ToolContext, work: () => Promise<ToolResult>) =>
    audited(parts, { name, args, context, defaultVault }, work);
  return defineTool({
    ...described,
    inputSchema: Type.Object(properties, { additionalProperties: false }),
    validate: (args) => (isReadOnly ? undefined : argumentProblem(args)),
    onInvalidArguments: (problem, args, context) =>
      audit(args, context, async () => {
        throw invalidArguments(problem);
      }),
    call: (args, context) =>
      audit(args, context, async () => {
        const { vault, ...others } = args as { readonly vault?: string };
        const open = parts.vaults.get(vault);
        const result = await run(others as ArgumentsOf<P>, { open, parts, context });
        if (parts.canaries) {
          const paths = deliveredPaths(name, isReadOnly, others, result);
          await parts.canaries.delivered(context.caller, open.name, paths, name);
        }
        // Tools that read make their own pages, and may be asked for long ones.
        return jsonResult(isReadOnly ? result : fitResult(result));
      }),
  });
}

interface AuditedCall {
  readonly name: string;
  readonly args: unknown;
  readonly context: ToolContext;
  /** The vault that is meant when none is named. */
  readonly defaultVault: string | undefined;
}

/** Runs a call, turns a refusal into a result and writes the audit line. */
async function audited(
  { log, vaults, recent, now }: NotesParts,
  { name: tool, args, context: { caller, trace }, defaultVault }: AuditedCall,
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
    const vault = firstText(answered.vault, asked.vault, defaultVault);
    const path = firstText(answered.path, asked.path);
    const { signInId = '', clientId } = caller;
    const durationMs = Math.round(performance.now() - beganMs);
    const bytes = sizeOf(result);
    log.always('info', 'tool_call', {
      user: caller.user,
      client_id: clientId,
      ...(trace && { trace_id: trace.traceId }),
      tool,
      ...(vault !== undefined && { vault: vault.slice(0, MAX_LOGGED_VAULT_LENGTH) }),
      ...(path !== undefined && { path: path.slice(0, MAX_LOGGED_PATH_LENGTH) }),
      outcome,
      duration_ms: durationMs,
      bytes,
    });
    recent?.add(
      caller,
      { signInId, clientId },
      {
        atMs: now().getTime(),
        tool,
        target: vault,
        place: path,
        refusal: outcome === 'ok' ? undefined : outcome,
        durationMs,
        bytes,
      },
    );
  }
}

/** The result says what a call was about; its arguments are the fallback. */
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
