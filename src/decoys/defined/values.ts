/** What the placeholders of decoy files stand for: most are fixed for a deployment. */
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

/** A template with everything filled in that no request changes. */
export class BoundTemplate {
  readonly #values: readonly Value[];
  readonly #honeytokens: number;

  /** `label` tells the drawn values of one template from those of another. */
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

function valueFor(name: Placeholder, label: string, { kit, places }: ValueContext): Value {
  const { draw, persona, tokens } = kit;
  switch (name) {
    case 'token':
      return ({ client, day }) => tokens.issue(places.token, client.address, day);
    case 'password':
      return ({ client, day }) => tokens.seal(places.password, client.address, day);
    case 'aws.key_id':
      return ({ client }) => tokens.issueAccessKeyId(client.address);
    case 'aws.secret':
      return ({ client }) => awsSecretOf(draw, tokens.issueAccessKeyId(client.address));
    case 'client.id':
      return ({ client }) => draw.hex(`client ${client.address.text}`, 16);
    case 'time.iso':
      return ({ day }) => new Date(momentMs(draw, label, day)).toISOString().replace(/\.\d+/, '');
    case 'time.unix':
      return ({ day }) => String(momentMs(draw, label, day) / 1000);
    case 'time.http':
      return ({ day }) => new Date(momentMs(draw, label, day)).toUTCString();
    case 'time.log':
      return ({ day }) => dashed(momentMs(draw, label, day));
    case 'time.access':
      return ({ day }) => `${slashed(momentMs(draw, label, day))} +0000`;
    case 'time.listed':
      return dashed(PAST_MS - draw.number(label, 365 * 86_400) * 1000).slice(0, -3);
    case 'time.past':
      return new Date(PAST_MS - draw.number(label, 365 * 86_400) * 1000)
        .toISOString()
        .replace(/\.\d+/, '');
    case 'address':
      return `10.${draw.number(`${label} a`, 250)}.${draw.number(`${label} b`, 250)}.${2 + draw.number(`${label} c`, 250)}`;
    case 'codename':
      return drawCompany(draw, label);
    case 'version':
      return `${1 + draw.number(`${label} a`, 9)}.${draw.number(`${label} b`, 40)}.${draw.number(`${label} c`, 30)}`;
    case 'digits.2':
    case 'digits.6': {
      const least = name === 'digits.2' ? 10 : 100_000;
      return String(least + draw.number(label, 9 * least));
    }
    case 'aws.account':
      return persona.awsAccount;
    case 'persona.company':
      return persona.company;
    case 'persona.title':
      return persona.title;
    case 'persona.domain':
      return persona.domain;
    case 'persona.region':
      return persona.region;
    case 'persona.model':
      return persona.models.served[0]?.id ?? '';
    case 'database.host':
    case 'database.user':
    case 'database.name':
      return persona.database[memberOf<'host' | 'user' | 'name'>(name)];
    case 'admin.name':
    case 'admin.user':
    case 'admin.email':
    case 'admin.hash':
      return persona.admin[memberOf<'name' | 'user' | 'email' | 'hash'>(name)];
    case 'developer.name':
    case 'developer.user':
    case 'developer.email':
    case 'developer.hash':
      return persona.developer[memberOf<'name' | 'user' | 'email' | 'hash'>(name)];
    case 'uuid':
      return uuidOf(draw.hex(label, 32));
    default:
      return drawn(draw, label, name);
  }
}

function memberOf<K extends string>(name: string): K {
  return name.slice(name.indexOf('.') + 1) as K;
}

/** `hex.32`, `digits.12`, `base64.32`, `word.24`. */
function drawn(draw: Draw, label: string, name: Placeholder): string {
  const [sort, size] = name.split('.') as [string, string];
  const length = Number(size);
  switch (sort) {
    case 'hex':
      return draw.hex(label, length);
    case 'digits':
      return draw.text(label, '0123456789', length);
    case 'base64':
      return draw.bytes(label).subarray(0, length).toString('base64');
    default:
      return draw.text(label, WORD, length);
  }
}

/** Of version 4. */
function uuidOf(hex: string): string {
  const variant = '89ab'[Number.parseInt(hex[16]!, 16) % 4];
  const text = `${hex.slice(0, 12)}4${hex.slice(13, 16)}${variant}${hex.slice(17)}`;
  return text.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
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
