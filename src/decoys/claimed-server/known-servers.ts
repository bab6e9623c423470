/** The servers that an operator can choose from. */
import type { ClaimedServerName } from '../../core/config/persona-choice.ts';
import type { ClaimedServer } from './claimed-server.ts';
import { GO, OLLAMA, VLLM } from './go.ts';
import { NGINX } from './nginx.ts';

export const KNOWN_SERVERS: Readonly<Record<ClaimedServerName, ClaimedServer>> = {
  go: GO,
  nginx: NGINX,
  ollama: OLLAMA,
  vllm: VLLM,
};
