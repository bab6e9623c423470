/** The values of the placeholders in decoy files. Most are constant for a deployment. */
import { DAY_MS } from '../../core/time.ts';
import type { Placeholder, Template } from '../definitions/placeholders.ts';
import type { Kit } from '../kit/decoy.ts';
import type { Probe } from '../kit/probe.ts';
import { awsSecretOf } from '../persona/aws-account.ts';
import { drawCompany } from '../persona/company-name.ts';
import type { Draw } from '../persona/draw.ts';
import type { filePlaces } from '../tokens/file-places.ts';

/** Before every day that a program of this version can run on. */
const PAST_MS = Date.UTC(2026, 9, 1);
const WORD = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** A text, or what makes it for a request. */
type Value = string | ((probe: Probe) => string);

export interface Rendered {
  readonly text: string;
  readonly honeytokens: number;
}

/** A template in which only the values remain open that depend on the request. */
export class BoundTemplate {
  readonly #values: readonly Value[];
  readonly #honeytokens: number;

  /** Drawn values depend on `label`, so that they differ between templates. */
  constructor(template: Template, label: string, context: ValueContext) {
    const values = template.map((part, at) =>
      at % 2 === 0 ? part : valueFor(part as Placeholder, `${label} ${at}`, context),
    );
    this.#values = joined(values);
    const secrets = ['token', 'password', 'aws.key_id'];
    this.#honeytokens = template.filter(
      (part, at) => at % 2 === 1 && secrets.includes(part),
    ).length;
  }

  render(probe: Probe): Rendered {
    let text = '';
    for (const value of this.#values) text += typeof value === 'string' ? value : value(probe);
    return { text, honeytokens: this.#honeytokens };
  }
}

export interface ValueContext {
  readonly kit: Kit;
  readonly places: ReturnType<typeof filePlaces>;
}

function joined(values: readonly Value[]): Value[] {
  const short: Value[] = [];
  for (const value of values) {
    const last = short.at(-1);
    if (typeof value === 'string' && typeof last === 'string')
      short[short.length - 1] = last + value;
    else short.push(value);
  }
  return short;
}

/** `hex.32` has the word `hex` and the detail `32`. */
function valueFor(placeholder: Placeholder, label: string, { kit, places }: ValueContext): Value {
  const { draw, persona, tokens } = kit;
  const [word, detail = ''] = placeholder.split('.');
  const size = Number(detail);
  switch (word) {
    case 'token':
      return ({ client, day }) => tokens.issue(places.token, client.address, day);
    case 'password':
      return ({ client, day }) => tokens.seal(places.password, client.address, day);
    case 'aws':
      return awsValue(detail, kit);
    case 'client':
      return ({ client }) => draw.hex(`client ${client.address.text}`, 16);
    case 'time':
      return timeValue(detail, label, draw);
    case 'persona':
      if (detail === 'model') return persona.models.served[0]?.id ?? '';
      return persona[detail as 'company' | 'title' | 'domain' | 'region'];
    case 'database':
      return persona.database[detail as 'host' | 'user' | 'name'];
    case 'admin':
    case 'developer':
      return persona[word][detail as 'name' | 'user' | 'email' | 'hash'];
    case 'address':
      return `10.${draw.number(`${label} a`, 250)}.${draw.number(`${label} b`, 250)}.${2 + draw.number(`${label} c`, 250)}`;
    case 'codename':
      return drawCompany(draw, label);
    case 'version':
      return `${1 + draw.number(`${label} a`, 9)}.${draw.number(`${label} b`, 40)}.${draw.number(`${label} c`, 30)}`;
    case 'uuid':
      return uuidOf(draw.hex(label, 32));
    case 'hex':
      return draw.hex(label, size);
    case 'digits': {
      if (size !== 2 && size !== 4 && size !== 6) return draw.text(label, '0123456789', size);
      const least = 10 ** (size - 1);
      return String(least + draw.number(label, 9 * least));
    }
    case 'base64':
      return draw.bytes(label).subarray(0, size).toString('base64');
    default:
      return draw.text(label, WORD, size);
  }
}

function awsValue(detail: string, { draw, persona, tokens }: Kit): Value {
  if (detail === 'account') return persona.awsAccount;
  if (detail === 'key_id') return ({ client }) => tokens.issueAccessKeyId(client.address);
  return ({ client }) => awsSecretOf(draw, tokens.issueAccessKeyId(client.address));
}

const TIME_FORMATS: Readonly<Record<string, (ms: number) => string>> = {
  iso,
  unix: (ms) => String(ms / 1000),
  http: (ms) => new Date(ms).toUTCString(),
  log: dashed,
  access: (ms) => `${slashed(ms)} +0000`,
};

function timeValue(detail: string, label: string, draw: Draw): Value {
  const format = TIME_FORMATS[detail];
  if (format) return ({ day }) => format(momentMs(draw, label, day));
  const pastMs = PAST_MS - draw.number(label, 365 * 86_400) * 1000;
  return detail === 'listed' ? dashed(pastMs).slice(0, -3) : iso(pastMs);
}

/** Of version 4. */
function uuidOf(hex: string): string {
  const variant = '89ab'[Number.parseInt(hex[16]!, 16) % 4];
  const text = `${hex.slice(0, 12)}4${hex.slice(13, 16)}${variant}${hex.slice(17)}`;
  return text.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** `2026-11-14T08:21:07Z` */
function iso(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+/, '');
}

/** `14-Nov-2026 08:21:07` */
function dashed(ms: number): string {
  const [, day, month, year, time] = new Date(ms).toUTCString().split(' ');
  return `${day}-${month}-${year} ${time}`;
}

/** `14/Nov/2026:08:21:07` */
function slashed(ms: number): string {
  return dashed(ms).replaceAll('-', '/').replace(' ', ':');
}

/** A whole second of the day before. */
function momentMs(draw: Draw, label: string, day: number): number {
  return (day - 1) * DAY_MS + draw.number(`${label} ${day}`, 86_400) * 1000;
}
