/**
 * The models a persona claims to serve. Their names are its own: the digests of well-known models
 * can be looked up, and those of a house's own models cannot.
 */

import { DAY_MS } from '../../core/time.ts';
import type { Draw } from './draw.ts';

/** A model as Ollama keeps it. */
export interface LocalModel {
  /** `alderbrook-support:8b`. */
  readonly name: string;
  readonly sizeBytes: number;
  /** Sixty-four hexadecimal digits. */
  readonly digest: string;
  readonly family: string;
  readonly parameterSize: string;
  readonly quantization: string;
  readonly contextLength: number;
  readonly modifiedMs: number;
  /** The digits after the milliseconds. */
  readonly modifiedNanos: string;
}

/** A model as vLLM serves it. */
export interface ServedModel {
  /** `alderbrook/assist-32b`. */
  readonly id: string;
  readonly maxModelLength: number;
}

export interface Models {
  readonly local: readonly LocalModel[];
  /** How many of the local models, from the first, are loaded. */
  readonly running: number;
  readonly served: readonly ServedModel[];
  /** Minutes between UTC and the clock of the machine that runs the models. */
  readonly offsetMinutes: number;
}

const USES = ['support', 'assist', 'code', 'summary', 'intake', 'triage', 'contracts', 'search'];
const BASES = [
  { family: 'llama', tag: '8b', parameters: '8.0B', bytes: 4_920_000_000, context: 8_192 },
  { family: 'llama', tag: '3b', parameters: '3.2B', bytes: 2_019_000_000, context: 8_192 },
  { family: 'llama', tag: '70b', parameters: '70.6B', bytes: 42_520_000_000, context: 8_192 },
  { family: 'qwen2', tag: '7b', parameters: '7.6B', bytes: 4_683_000_000, context: 32_768 },
  { family: 'qwen2', tag: '32b', parameters: '32.8B', bytes: 19_851_000_000, context: 32_768 },
  { family: 'qwen3', tag: '14b', parameters: '14.8B', bytes: 9_276_000_000, context: 16_384 },
  { family: 'gemma3', tag: '12b', parameters: '12.2B', bytes: 8_149_000_000, context: 8_192 },
  { family: 'mistral3', tag: '24b', parameters: '23.6B', bytes: 15_200_000_000, context: 16_384 },
];
/** The sizes above are those of Q4_K_M. */
const QUANTIZATIONS = [
  { level: 'Q4_K_M', size: 1 },
  { level: 'Q4_K_M', size: 1 },
  { level: 'Q4_0', size: 0.945 },
  { level: 'Q5_K_M', size: 1.17 },
  { level: 'Q8_0', size: 1.74 },
];
const SERVED_SIZES = ['7b', '8b', '14b', '24b', '32b', '70b', '72b-awq'];
const LENGTHS = [8_192, 16_384, 32_768, 65_536, 131_072];
const OFFSETS = [-480, -420, -300, -240, 0, 60, 120, 330, 480];
const MODIFIED_FROM_MS = Date.UTC(2025, 8, 1);
const MODIFIED_WITHIN_MS = 300 * DAY_MS;

export function drawModels(draw: Draw, company: string): Models {
  const uses = draw.some('model uses', USES, 3 + draw.number('local models', 2));
  const local = uses.map((use) => localModel(draw, company, use));
  const served = draw.some('served uses', USES, 1 + draw.number('served models', 3)).map((use) => ({
    id: `${company}/${use}-${draw.pick(`served size ${use}`, SERVED_SIZES)}`,
    maxModelLength: draw.pick(`served length ${use}`, LENGTHS),
  }));
  const running = 1 + draw.number('running models', 2);
  return { local, running, served, offsetMinutes: draw.pick('time zone', OFFSETS) };
}

function localModel(draw: Draw, company: string, use: string): LocalModel {
  const base = draw.pick(`base ${use}`, BASES);
  const quantization = draw.pick(`quantization ${use}`, QUANTIZATIONS);
  return {
    name: `${company}-${use}:${base.tag}`,
    sizeBytes: Math.round(base.bytes * quantization.size) + draw.number(`size ${use}`, 9_000_000),
    digest: draw.hex(`digest ${use}`, 64),
    family: base.family,
    parameterSize: base.parameters,
    quantization: quantization.level,
    contextLength: base.context,
    modifiedMs: MODIFIED_FROM_MS + draw.number(`modified ${use}`, MODIFIED_WITHIN_MS),
    modifiedNanos: draw.text(`nanoseconds ${use}`, '0123456789', 6),
  };
}
