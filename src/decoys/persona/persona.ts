/**
 * Who this deployment pretends to be, drawn from the key: names, versions, models and tools differ
 * between deployments, which prevents fingerprinting by lists, and all answers of one deployment agree.
 * Every name is under `.internal`, which resolves nowhere.
 */
import type { ClaimedServerName, PersonaChoice } from '../../core/config/persona-choice.ts';
import { DAY_MS } from '../../core/time.ts';
import { awsAccountOf } from './aws-account.ts';
import { drawCompany } from './company-name.ts';
import type { Draw } from './draw.ts';
import { drawPerson, type Person } from './people.ts';
import { drawMcpServer, type McpServer } from './persona-mcp.ts';
import { drawModels, type Models } from './persona-models.ts';

export interface Persona {
  /** One word in lower case. */
  readonly company: string;
  /** As people write it. */
  readonly title: string;
  /** Under `.internal`, unless the operator chose another. */
  readonly domain: string;
  /** Who administers, and somebody who develops. */
  readonly admin: Person;
  readonly developer: Person;
  /** Twelve digits: the one cloud account of the company. */
  readonly awsAccount: string;
  readonly region: string;
  readonly database: { readonly host: string; readonly user: string; readonly name: string };
  readonly subscription: string;
  readonly rateLimitTier: string;
  /** When the first account was created. */
  readonly foundedMs: number;
  readonly mcp: McpServer;
  readonly models: Models;
  /** Of the model servers. */
  readonly ollamaVersion: string;
  readonly vllmVersion: string;
  /** The program that the standalone decoys claim to be. */
  readonly server?: ClaimedServerName;
}

const REGIONS = ['us-east-1', 'us-east-2', 'us-west-2', 'eu-west-1', 'eu-central-1', 'ap-south-1'];
const DATABASES = ['orders', 'billing', 'crm', 'inventory', 'reporting', 'warehouse', 'core'];
const DATABASE_HOSTS = ['db', 'db-01', 'pg', 'pg-primary', 'postgres', 'sql-01'];
const DATABASE_USERS = ['app', 'readonly', 'mcp_ro', 'reporting', 'svc_assistant', 'service'];
/** Subscriptions, each with a rate limit that goes with it. */
const ACCOUNTS = [
  ['pro', 'default_claude_ai'],
  ['max', 'default_claude_max_5x'],
  ['max', 'default_claude_max_20x'],
  ['team', 'default_claude_ai'],
  ['enterprise', 'default_claude_ai'],
] as const;
const FOUNDED_FROM_MS = Date.UTC(2018, 2, 1);
const FOUNDED_WITHIN_MS = 700 * DAY_MS;

const OLLAMA_VERSIONS = [
  ...['0.5.7', '0.5.13', '0.6.2', '0.6.5', '0.6.8', '0.7.0', '0.7.1', '0.9.0', '0.9.2', '0.9.6'],
  ...['0.10.1', '0.11.4', '0.11.8', '0.11.10', '0.12.0', '0.12.3', '0.12.6', '0.12.9', '0.13.0'],
];
const VLLM_VERSIONS = [
  ...['0.6.3', '0.6.4.post1', '0.6.6.post1', '0.7.2', '0.7.3', '0.8.3', '0.8.5', '0.8.5.post1'],
  ...['0.9.0.1', '0.9.1', '0.9.2', '0.10.0', '0.10.1.1', '0.10.2', '0.11.0'],
];

export function createPersona(draw: Draw, chosen: PersonaChoice = {}): Persona {
  const company = chosen.name === undefined ? drawCompany(draw) : wordOf(chosen.name);
  const [subscription, rateLimitTier] = draw.pick('account', ACCOUNTS);
  const domain = chosen.domain ?? `${company}.internal`;
  return {
    company,
    title: chosen.name ?? company.charAt(0).toUpperCase() + company.slice(1),
    domain,
    admin: drawPerson(draw, 'admin', domain),
    developer: drawPerson(draw, 'developer', domain),
    awsAccount: awsAccountOf(draw),
    region: draw.pick('region', REGIONS),
    database: {
      host: `${draw.pick('database host', DATABASE_HOSTS)}.${domain}`,
      user: draw.pick('database user', DATABASE_USERS),
      name: draw.pick('database name', DATABASES),
    },
    subscription,
    rateLimitTier,
    foundedMs: FOUNDED_FROM_MS + draw.number('founded', FOUNDED_WITHIN_MS),
    mcp: drawMcpServer(draw, company, domain),
    models: drawModels(draw, company, chosen.models),
    ollamaVersion: draw.pick('ollama version', OLLAMA_VERSIONS),
    vllmVersion: draw.pick('vllm version', VLLM_VERSIONS),
    ...(chosen.server && { server: chosen.server }),
  };
}

/** A name as one word in lower case, as in host names. */
function wordOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '') || 'company';
}
