/**
 * The MCP server that a persona claims to be: a name, and a few tools, prompts and resources that look
 * like those of an office and do nothing. Their texts contain no instruction to a model.
 */
import type { Draw } from './draw.ts';

export interface McpServer {
  readonly info: { readonly name: string; readonly title: string; readonly version: string };
  readonly tools: readonly object[];
  /** The fields of each tool, all of which are required. */
  readonly toolFields: ReadonlyMap<string, readonly Field[]>;
  readonly prompts: readonly object[];
  readonly resources: readonly object[];
  /** What a tool says instead of doing anything. */
  readonly refusal: string;
}

type Field = readonly [name: string, type: 'string' | 'integer'];

const ACTIONS = 'search get list find lookup query fetch read show check describe count'.split(' ');
const THINGS = (
  'account alert asset audit backup booking branch budget build campaign carrier case claim client contact contract ' +
  'coupon customer deal deployment device document domain employee event expense feature folder forecast incident ' +
  'inventory invoice issue job lead ledger license log machine meeting member message metric order page partner ' +
  'patch payment payroll plan policy product project quote receipt refund release report request review role route ' +
  'schedule service session shift shipment site sprint stock store subscription supplier survey task team template ' +
  'tenant ticket timesheet token transfer user vendor visit warehouse webhook workflow'
).split(' ');
const DRAFTS =
  'summarize draft review outline explain compare translate rewrite classify prepare'.split(' ');
const FILES = [
  ['md', 'text/markdown'],
  ['csv', 'text/csv'],
  ['json', 'application/json'],
  ['txt', 'text/plain'],
] as const;
const WAITS = (
  'Approval pending|Approval required|Waiting for approval|Pending approval|Awaiting approval|Needs approval|' +
  'Approval needed|Held for approval|Queued for approval|Sent for approval|Submitted for approval|Approval requested|Approval outstanding|Not approved yet|No approval yet|Approval missing|Approval open|Approval is due|Approval awaited|Under approval'
).split('|');
const APPROVERS = (
  'an administrator|the administrator|your administrator|an admin|the owner|the workspace owner|a manager|' +
  'the team lead|an operator|the service desk|the on-call engineer|the security team|IT|the platform team'
).split('|');
const NAMES = ['tools', 'ops', 'helpdesk', 'backoffice', 'connect', 'platform', 'workbench'];

export function drawMcpServer(draw: Draw, company: string, domain: string): McpServer {
  const name = draw.pick('mcp name', NAMES);
  const count = (what: string, from: number, to: number) =>
    from + draw.number(`mcp ${what} count`, to - from + 1);
  const things = draw.some('mcp things', THINGS, 12);
  const tools = things
    .slice(0, count('tool', 2, 4))
    .map((thing) => [draw.pick(`action of ${thing}`, ACTIONS), thing] as const);
  const prompts = things
    .slice(4, 4 + count('prompt', 2, 3))
    .map((thing) => [draw.pick(`draft of ${thing}`, DRAFTS), thing] as const);
  const resources = things
    .slice(8, 8 + count('resource', 2, 3))
    .map((thing) => [thing, draw.pick(`file of ${thing}`, FILES)] as const);
  const version = ['major', 'minor', 'patch'].map((part) => draw.number(`mcp ${part}`, 9));
  return {
    info: {
      name: `${company}-${name}`,
      title: `${capital(company)} ${name}`,
      version: version.join('.'),
    },
    tools: tools.map(([action, thing]) => tool(action, thing)),
    toolFields: new Map(
      tools.map(([action, thing]) => [`${action}_${thing}`, [fieldOf(action)]] as const),
    ),
    prompts: prompts.map(([draft, thing]) => ({
      name: `${draft}_${thing}`,
      description: `${capital(draft)} ${thing}`,
      arguments: [{ name: 'text', required: true }],
    })),
    resources: resources.map(([thing, [extension, mimeType]]) => ({
      uri: `https://files.${domain}/${thing}s.${extension}`,
      name: `${company}-${thing}s.${extension}`,
      title: `${capital(company)} ${thing}s`,
      mimeType,
    })),
    refusal: `${draw.pick('mcp wait', WAITS)}: ${draw.pick('mcp approver', APPROVERS)} has to confirm this call.`,
  };
}

function tool(action: string, thing: string): object {
  const [field, type] = fieldOf(action);
  const inputSchema = { type: 'object', properties: { [field]: { type } }, required: [field] };
  const title = `${capital(action)} ${thing}`;
  return { name: `${action}_${thing}`, title, description: title, inputSchema };
}

/** Searches take words, other actions a number. */
function fieldOf(action: string): Field {
  return ['search', 'find', 'query', 'list'].includes(action)
    ? ['query', 'string']
    : ['id', 'integer'];
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
