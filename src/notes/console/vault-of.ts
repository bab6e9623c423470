/** The vault that a page is about, the choice between several, and the tools of the person. */
import type { FormCall, PageCall } from '../../console/browser-session.ts';
import { queryOf } from '../../console/browser-session.ts';
import { type Html, html } from '../../core/pages/html.ts';
import { SILENT_PEER } from '../../mcp/elicitation/peer.ts';
import type { DefinedTool } from '../tool-kit/notes-tool.ts';
import type { OpenVault } from '../vaults/open-vault.ts';
import type { NotesConsoleParts } from './parts.ts';

/** The client id of the console in audit lines; no app has it. */
const CLIENT_ID = 'console';

/** Undefined for an unknown vault. */
export function vaultOf(call: PageCall, { notes }: NotesConsoleParts): OpenVault | undefined {
  const form = (call as Partial<FormCall>).form ?? queryOf(call.request);
  const name = form.get('vault') ?? notes.vaults.defaultName;
  return notes.vaults.names().includes(name) ? notes.vaults.get(name) : undefined;
}

/** The URL of a page for this vault; the default vault is not named. */
export function pathIn(
  { name }: OpenVault,
  { notes }: NotesConsoleParts,
  path: string,
  query: Readonly<Record<string, string>> = {},
): string {
  const named = name === notes.vaults.defaultName ? query : { vault: name, ...query };
  const text = new URLSearchParams(named).toString();
  return text === '' ? path : `${path}?${text}`;
}

/** Undefined if there is one vault. */
export function vaultChoice(
  open: OpenVault,
  { notes }: NotesConsoleParts,
  path: string,
): Html | undefined {
  const names = notes.vaults.names();
  if (names.length < 2) return undefined;
  const options = names.map(
    (name) =>
      html`<option value="${name}"${name === open.name && html` selected`}>${name}</option>`,
  );
  return html`<form class="filters" method="get" action="${path}"><div class="vault"><label for="vault">Vault</label>
<select id="vault" name="vault">${options}</select></div><button class="small" type="submit">Show</button></form>`;
}

export type ToolOutcome =
  | { readonly ok: true; readonly value: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly message: string };

/** Calls a tool for the person, with the audit line and the rules of every call. */
export async function callTool(
  tool: DefinedTool,
  args: Readonly<Record<string, unknown>>,
  { session }: PageCall,
  { notes }: NotesConsoleParts,
): Promise<ToolOutcome> {
  const { user, incarnation } = session;
  const result = await tool(notes).call(args, {
    caller: { user, incarnation, clientId: CLIENT_ID },
    onCancelled: () => {},
    onSent: () => {},
    progress: () => {},
    peer: SILENT_PEER,
    isAlive: async () => true,
  });
  if (!result.isError) {
    return { ok: true, value: result.structuredContent as Record<string, unknown> };
  }
  const [block] = result.content;
  return { ok: false, message: block?.type === 'text' ? block.text : 'the tool failed' };
}
