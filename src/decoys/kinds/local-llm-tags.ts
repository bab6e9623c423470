/** `/api/tags` and `/api/ps` as Ollama answers them: the second is a part of the first. */

import { DAY_MS } from '../../core/time.ts';
import { jsonAnswer } from '../kit/answer.ts';
import { VULNERABILITY_SCAN } from '../kit/catalogue-entry.ts';
import type { Decoy, Kind, Kit } from '../kit/decoy.ts';
import { localTime, modelDetails } from '../kit/ollama-answers.ts';
import { oncePerDay } from '../kit/once-per-day.ts';
import type { LocalModel } from '../persona/persona-models.ts';

const TAG = 'local-llm-tags';
const TYPE = 'application/json; charset=utf-8';
const MINUTE_MS = 60_000;

export const localLlmTags: Kind = {
  tag: TAG,
  category: 'service-discovery',
  intention: 'find Ollama servers to use at the cost of others',
  technique: VULNERABILITY_SCAN,
  references: ['https://github.com/ollama/ollama/blob/main/docs/api.md'],
  corpus: [
    { target: '/api/tags', expect: /"digest":"[0-9a-f]{64}"/ },
    { target: '/api/ps', expect: /"size_vram":[0-9]+/ },
  ],
  create,
};

function create({ draw, persona }: Kit): Decoy {
  const { local, running, offsetMinutes } = persona.models;
  const newestFirst = [...local].sort((a, b) => b.modifiedMs - a.modifiedMs);
  const tags = jsonAnswer({ models: newestFirst.map(stored) }, TYPE);
  const ps = oncePerDay((day) => jsonAnswer({ models: loaded(day) }, TYPE));
  return {
    methods: 'any',
    match: ({ path, day }) => {
      switch (path) {
        case '/api/tags':
          return { tag: TAG, answer: () => tags };
        case '/api/ps':
          return { tag: TAG, answer: () => ps(day) };
        default:
          return undefined;
      }
    },
  };

  function stored(model: LocalModel): object {
    const modified_at = localTime(model.modifiedMs, model.modifiedNanos, offsetMinutes);
    const { name, sizeBytes: size, digest } = model;
    return { name, model: name, modified_at, size, digest, details: modelDetails(model) };
  }

  /** A model leaves memory some minutes after the day ends, so that one day has one answer. */
  function loaded(day: number): object[] {
    return newestFirst.slice(0, running).map((model) => {
      const { name, sizeBytes: size, digest, contextLength: context_length } = model;
      const minutes = 5 + draw.number(`expires ${name} ${day}`, 25);
      const nanos = draw.text(`expires nanoseconds ${name} ${day}`, '0123456789', 6);
      const ms =
        (day + 1) * DAY_MS + minutes * MINUTE_MS + draw.number(`expires ms ${name}`, 1_000);
      const expires_at = localTime(ms, nanos, offsetMinutes);
      const about = { name, model: name, size, digest, details: modelDetails(model) };
      return { ...about, expires_at, size_vram: size, context_length };
    });
  }
}
