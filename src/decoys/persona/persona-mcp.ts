/**
 * The MCP server a persona claims to be: a name, and two to four tools, prompts and resources
 * that read like an office's own and do nothing. Their texts carry no instruction to a model.
 */
import type { Draw } from './draw.ts';

export interface McpServer {
  readonly info: { readonly name: string; readonly title: string; readonly version: string };
  readonly tools: readonly object[];
  /** The fields of each tool, all of which are required. */
  readonly toolFields: ReadonlyMap<string, readonly Field[]>;
  readonly prompts: readonly object[];
  readonly resources: readonly object[];
}

export type Field = readonly [name: string, type: 'string' | 'integer', description: string];

const TOOLS: readonly (readonly [string, string, string, readonly Field[]])[] = [
  ['search_tickets', 'Search tickets', 'Find support tickets by words.', [words()]],
  ['get_invoice', 'Get invoice', 'Look up one invoice.', [id('Invoice number')]],
  ['list_deployments', 'List deployments', 'The latest deployments of a service.', [service()]],
  ['query_inventory', 'Query inventory', 'Stock of an item by warehouse.', [id('Item number')]],
  ['get_customer', 'Get customer', 'Look up one customer account.', [id('Customer number')]],
  ['search_wiki', 'Search wiki', 'Find pages of the internal wiki.', [words()]],
  ['list_incidents', 'List incidents', 'Open incidents of a service.', [service()]],
  ['get_payroll_run', 'Get payroll run', 'Totals of one payroll run.', [id('Run number')]],
  ['list_backups', 'List backups', 'The latest backups of a database.', [service()]],
  ['find_employee', 'Find employee', 'Find a colleague by name.', [words()]],
];
const PROMPTS = [
  ['summarize_ticket', 'Summarise a support ticket'],
  ['draft_reply', 'Draft a reply to a customer'],
  ['release_notes', 'Write release notes from merged changes'],
  ['incident_review', 'Outline an incident review'],
  ['quarterly_report', 'Outline the quarterly report'],
] as const;
const RESOURCES = [
  ['runbook.md', 'On-call runbook', 'text/markdown'],
  ['price-list.csv', 'Price list', 'text/csv'],
  ['org-chart.json', 'Organisation chart', 'application/json'],
  ['network-plan.md', 'Network plan', 'text/markdown'],
  ['vendors.csv', 'Vendor list', 'text/csv'],
] as const;
const NAMES = ['tools', 'ops', 'helpdesk', 'backoffice', 'connect', 'platform', 'workbench'];

export function drawMcpServer(draw: Draw, company: string, domain: string): McpServer {
  const name = draw.pick('mcp name', NAMES);
  const tools = draw.some('mcp tools', TOOLS, 2 + draw.number('mcp tool count', 3));
  const prompts = draw.some('mcp prompts', PROMPTS, 2 + draw.number('mcp prompt count', 2));
  const resources = draw.some('mcp resources', RESOURCES, 2 + draw.number('mcp resource count', 2));
  const version = ['major', 'minor', 'patch'].map((part) => draw.number(`mcp ${part}`, 9));
  return {
    info: {
      name: `${company}-${name}`,
      title: `${capital(company)} ${name}`,
      version: version.join('.'),
    },
    tools: tools.map(tool),
    toolFields: new Map(tools.map(([toolName, , , fields]) => [toolName, fields])),
    prompts: prompts.map(([promptName, description]) => ({
      name: promptName,
      description,
      arguments: [{ name: 'text', description: 'What it is about', required: true }],
    })),
    resources: resources.map(([file, title, mimeType]) => ({
      uri: `https://files.${domain}/${file}`,
      name: file,
      title,
      mimeType,
    })),
  };
}

function tool([name, title, description, fields]: (typeof TOOLS)[number]): object {
  const properties = Object.fromEntries(
    fields.map(([field, type, about]) => [field, { type, description: about }]),
  );
  const required = fields.map(([field]) => field);
  return { name, title, description, inputSchema: { type: 'object', properties, required } };
}

function words(): Field {
  return ['query', 'string', 'Words to look for'];
}

function id(description: string): Field {
  return ['id', 'integer', description];
}

function service(): Field {
  return ['service', 'string', 'Name of the service'];
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
