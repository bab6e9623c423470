/** The models that a persona claims to serve: well-known ones, and in some deployments a custom one. */
import { DAY_MS } from '../../core/time.ts';
import type { Draw } from './draw.ts';
import { KNOWN_LOCAL, KNOWN_SERVED, type KnownModel } from './known-models.ts';

/** A model as Ollama keeps it. */
export interface LocalModel extends KnownModel {
  readonly modifiedMs: number;
  /** The digits after the milliseconds. */
  readonly modifiedNanos: string;
}

/** A model as vLLM serves it. */
export interface ServedModel {
  /** `Qwen/Qwen2.5-7B-Instruct`. */
  readonly id: string;
  readonly root: string;
  /** The model that an adapter belongs to. */
  readonly parent: string | null;
  readonly maxModelLength: number | null;
  readonly embeddingLength: number;
}

export interface Models {
  readonly local: readonly LocalModel[];
  /** How many of the local models, from the first, are loaded. */
  readonly running: number;
  readonly served: readonly ServedModel[];
  /** Minutes between UTC and the clock of the machine that runs the models. */
  readonly offsetMinutes: number;
}

/** Names of custom models. */
const USES = (
  'agent analyst answers assist audit bookings bot briefs calls catalog chat claims classify code compliance contracts copilot ' +
  'crm desk digest docs drafts eval extract faq filings finance forms guide hr intake intents invoices kb legal letters ' +
  'mails memo minutes notes onboarding orders parser policy pricing quotes rag records replies reports returns review ' +
  'router sales scribe search sql summary support tagging tariff tickets translate triage tutor voice wiki writer'
).split(' ');
/** vLLM is often started with a length that fits the memory of the card. */
const SHORTER = [4_096, 8_192, 16_384, 20_000, 24_576, 32_768];
const OFFSETS = [-480, -420, -300, -240, 0, 0, 60, 120, 330, 480];
const MODIFIED_FROM_MS = Date.UTC(2025, 8, 1);
const MODIFIED_WITHIN_MS = 300 * DAY_MS;

/** `chosen` are the names that the operator wants; one with a slash is served, as by vLLM. */
export function drawModels(draw: Draw, company: string, chosen: readonly string[] = []): Models {
  const own = chosen.filter((name) => !name.includes('/'));
  const ownServed = chosen.filter((name) => name.includes('/'));
  const local = own.length > 0 ? own.map((name) => named(draw, name)) : drawLocal(draw, company);
  const served =
    ownServed.length > 0 ? ownServed.map((id) => servedModel(draw, id)) : drawServed(draw, company);
  const running = Math.min(local.length, 1 + draw.number('running models', 2));
  return { local, running, served, offsetMinutes: draw.pick('time zone', OFFSETS) };
}

function drawLocal(draw: Draw, company: string): LocalModel[] {
  const count = 3 + draw.number('local models', 4);
  const local = draw.some('local models', KNOWN_LOCAL, count).map((known) => stored(draw, known));
  if (draw.number('own local model', 3) > 0) return local;
  return [ownModel(draw, ownName(draw, company), pickBase(draw)), ...local];
}

/** A model that the operator configures: a known one, or a custom one. */
function named(draw: Draw, name: string): LocalModel {
  const tagged = name.includes(':') ? name : `${name}:latest`;
  const known = KNOWN_LOCAL.find((model) => model.name === tagged);
  return known ? stored(draw, known) : ownModel(draw, tagged, pickBase(draw));
}

function pickBase(draw: Draw): KnownModel {
  const bases = KNOWN_LOCAL.filter(({ quantization }) => quantization.startsWith('Q4_'));
  return draw.pick('base of own model', bases);
}

function ownName(draw: Draw, company: string): string {
  const use = draw.pick('own use', USES);
  const [base = ''] = pickBase(draw).name.split(':');
  const names = [
    `${company}-${use}:latest`,
    `${company}:latest`,
    `${use}-${base}:latest`,
    `${base}-${use}:latest`,
    `${company}/${use}:latest`,
    `${use}:v${1 + draw.number('own version', 9)}`,
  ];
  return draw.pick('form of own name', names);
}

/** A custom model has a few bytes more than its base, and a digest that is in no registry. */
function ownModel(draw: Draw, name: string, base: KnownModel): LocalModel {
  const sizeBytes = base.sizeBytes + 200 + draw.number(`size ${name}`, 3_000);
  return stored(draw, { ...base, name, sizeBytes, digest: draw.hex(`digest ${name}`, 64) });
}

function stored(draw: Draw, model: KnownModel): LocalModel {
  const { name } = model;
  return {
    ...model,
    modifiedMs: MODIFIED_FROM_MS + draw.number(`modified ${name}`, MODIFIED_WITHIN_MS),
    modifiedNanos: draw.text(`nanoseconds ${name}`, '0123456789', 6),
  };
}

/** One base model, as a server has, and in some deployments adapters of the house. */
function drawServed(draw: Draw, company: string): ServedModel[] {
  const [id] = draw.pick('served base', KNOWN_SERVED);
  const base = servedModel(draw, id);
  const adapters = draw
    .some('adapters', USES, Math.max(0, draw.number('adapter count', 6) - 3))
    .map((use) => ({
      ...base,
      id: draw.pick('form of adapters', [`${company}-${use}`, `${use}-lora`, use]),
      root: `/srv/${company}/adapters/${use}`,
      parent: id,
      maxModelLength: null,
    }));
  return [base, ...adapters];
}

function servedModel(draw: Draw, id: string): ServedModel {
  const [, longest = 32_768, width = 4_096] = KNOWN_SERVED.find(([known]) => known === id) ?? [];
  const lengths = [longest, ...SHORTER.filter((length) => length < longest)];
  const isPath = draw.number('served from a folder', 4) === 0;
  return {
    id,
    root: isPath ? `/models/${id.split('/').at(-1)}` : id,
    parent: null,
    maxModelLength: draw.pick('served length', lengths),
    embeddingLength: width,
  };
}
