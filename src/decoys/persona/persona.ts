/**
 * Who this deployment pretends to be. One persona is drawn from the key: names, versions, models
 * and tools differ between any two deployments, so that no list of known decoys fits ours, and
 * within one deployment every answer agrees with every other. Every name is under
 * `.internal`, which resolves nowhere.
 */

import { DAY_MS } from '../../core/time.ts';
import type { Draw } from './draw.ts';
import { drawMcpServer, type McpServer } from './persona-mcp.ts';
import { drawModels, type Models } from './persona-models.ts';

export interface Persona {
  /** One word, such as `alderbrook`. */
  readonly company: string;
  /** `alderbrook.internal`. */
  readonly domain: string;
  readonly region: string;
  readonly database: { readonly host: string; readonly user: string; readonly name: string };
  readonly subscription: string;
  readonly rateLimitTier: string;
  /** When the first account was created. */
  readonly foundedMs: number;
  readonly mcp: McpServer;
  readonly models: Models;
}

const FIRST =
  'alder amber birch brass cedar cobalt copper delta elm ember falcon fern flint granite harbor hazel ' +
  'indigo iron juniper larch lumen maple marble north onyx orchid quartz raven saffron silver tidal willow';
const SECOND =
  'bay bridge brook cove crest dale field ford forge gate grove hill lane line mark mill ' +
  'mont path peak point port ridge rock stone vale view ward water way well wood works';
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

export function createPersona(draw: Draw): Persona {
  const company =
    draw.pick('company first', FIRST.split(' ')) + draw.pick('company second', SECOND.split(' '));
  const [subscription, rateLimitTier] = draw.pick('account', ACCOUNTS);
  const domain = `${company}.internal`;
  return {
    company,
    domain,
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
    models: drawModels(draw, company),
  };
}
