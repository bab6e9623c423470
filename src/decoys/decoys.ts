/**
 * All decoys, in order: the first that matches path and method answers. Behind those that need code
 * are the built-in decoy files, and behind these the operator's own.
 */

import type { PersonaChoice } from '../core/config/persona-choice.ts';
import { definedDecoys } from './defined/defined-decoys.ts';
import { builtIns } from './definitions/built-in.ts';
import type { Definition } from './definitions/definition.ts';
import { aiAssistantConfig } from './kinds/ai-assistant-config.ts';
import { aiAssistantCredentials } from './kinds/ai-assistant-credentials.ts';
import { awsCredentials } from './kinds/aws-credentials.ts';
import { gitRepository } from './kinds/git-repository.ts';
import { graphql } from './kinds/graphql.ts';
import { imageRegistry } from './kinds/image-registry.ts';
import { llmCompatModels } from './kinds/llm-compat-models.ts';
import { localLlmTags } from './kinds/local-llm-tags.ts';
import { mcpServerProbe } from './kinds/mcp-server-probe.ts';
import { modelInference } from './kinds/model-inference.ts';
import { restApiIdor } from './kinds/rest-api-idor.ts';
import { sshPrivateKey } from './kinds/ssh-private-key.ts';
import { ssrfMetadataProbe } from './kinds/ssrf-metadata-probe.ts';
import type { Decoy, Kind, Match } from './kit/decoy.ts';
import type { Probe } from './kit/probe.ts';
import { Draw } from './persona/draw.ts';
import { createPersona } from './persona/persona.ts';
import { type HoneytokenOptions, Honeytokens } from './tokens/honeytoken.ts';

/** Earlier wins: a file of credentials in an assistant's directory is credentials. */
export const KINDS: readonly Kind[] = [
  awsCredentials,
  aiAssistantCredentials,
  aiAssistantConfig,
  restApiIdor,
  mcpServerProbe,
  llmCompatModels,
  localLlmTags,
  ssrfMetadataProbe,
  modelInference,
  gitRepository,
  sshPrivateKey,
  imageRegistry,
  graphql,
];

export interface DecoysOptions extends HoneytokenOptions {
  readonly persona?: PersonaChoice;
  /** The operator's own decoys: the built-in ones win. */
  readonly definitions?: readonly Definition[];
  readonly now?: () => number;
}

export class Decoys {
  readonly tokens: Honeytokens;
  readonly #table: readonly Decoy[];

  constructor({ persona, definitions = [], now = Date.now, ...options }: DecoysOptions) {
    const draw = new Draw(options.key);
    this.tokens = new Honeytokens(options);
    const kit = {
      draw,
      persona: createPersona(draw, persona),
      tokens: this.tokens,
      site: options.site,
      now,
    };
    const files = builtIns().map((file) => ({ file, definitions: file.decoys }));
    this.#table = [
      ...KINDS.map((kind) => kind.create(kit)),
      definedDecoys([...files, { definitions }], kit),
    ];
  }

  find(probe: Probe): Match | undefined {
    const method = probe.method === 'HEAD' ? 'GET' : probe.method;
    for (const { methods, match } of this.#table) {
      if (methods !== 'any' && !methods.includes(method)) continue;
      const found = match(probe);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}
