/** `/v1/models` as vLLM answers it, or Ollama where the decoys claim to be that. */

import { DAY_MS } from '../../core/time.ts';
import { jsonAnswer } from '../kit/answer.ts';
import { VULNERABILITY_SCAN } from '../kit/catalogue-entry.ts';
import type { Decoy, Kind, Kit } from '../kit/decoy.ts';
import { oncePerDay } from '../kit/once-per-day.ts';
import type { ServedModel } from '../persona/persona-models.ts';

const TAG = 'llm-compat-models';
const PATH = '/v1/models';

export const llmCompatModels: Kind = {
  tag: TAG,
  category: 'service-discovery',
  intention: 'find inference servers to use at the cost of others',
  technique: VULNERABILITY_SCAN,
  references: ['https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html'],
  corpus: [{ target: PATH, expect: /^\{"object":"list","data":\[\{"id":/ }],
  create,
};

function create({ draw, persona }: Kit): Decoy {
  const isOllama = persona.server === 'ollama';
  const answer = oncePerDay((day) => jsonAnswer(isOllama ? stored() : listing(day)));
  return {
    methods: 'any',
    match: ({ path, day }) => (path === PATH ? { tag: TAG, answer: () => answer(day) } : undefined),
  };

  function stored(): object {
    const newestFirst = [...persona.models.local].sort((a, b) => b.modifiedMs - a.modifiedMs);
    const data = newestFirst.map(({ name: id, modifiedMs }) => {
      return { id, object: 'model', created: Math.floor(modifiedMs / 1000), owned_by: 'library' };
    });
    return { object: 'list', data };
  }

  function listing(day: number): object {
    const created = (day * DAY_MS) / 1000 - draw.number(`models created ${day}`, 3_600);
    const data = persona.models.served.map((model) => entry(model, created, day));
    return { object: 'list', data };
  }

  function entry(
    { id, root, parent, maxModelLength }: ServedModel,
    created: number,
    day: number,
  ): object {
    return {
      id,
      object: 'model',
      created,
      owned_by: 'vllm',
      root,
      parent,
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
