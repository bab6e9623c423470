/** `/v1/models` as vLLM answers it. */

import { DAY_MS } from '../../core/time.ts';
import { jsonAnswer } from '../kit/answer.ts';
import type { Decoy, Kit } from '../kit/decoy.ts';
import { oncePerDay } from '../kit/once-per-day.ts';
import type { ServedModel } from '../persona/persona-models.ts';

export function llmCompatModels({ draw, persona }: Kit): Decoy {
  const answer = oncePerDay((day) => jsonAnswer(listing(day)));
  return {
    methods: 'any',
    match: ({ path, day }) =>
      path === '/v1/models' ? { tag: 'llm-compat-models', answer: () => answer(day) } : undefined,
  };

  function listing(day: number): object {
    const created = (day * DAY_MS) / 1000 - draw.number(`models created ${day}`, 3_600);
    const data = persona.models.served.map((model) => entry(model, created, day));
    return { object: 'list', data };
  }

  function entry({ id, maxModelLength }: ServedModel, created: number, day: number): object {
    return {
      id,
      object: 'model',
      created,
      owned_by: 'vllm',
      root: id,
      parent: null,
      max_model_len: maxModelLength,
      permission: [
        {
          id: `modelperm-${draw.hex(`permission ${id} ${day}`, 32)}`,
          object: 'model_permission',
          created,
          allow_create_engine: false,
          allow_sampling: true,
          allow_logprobs: true,
          allow_search_indices: false,
          allow_view: true,
          allow_fine_tuning: false,
          organization: '*',
          group: null,
          is_blocking: false,
        },
      ],
    };
  }
}
