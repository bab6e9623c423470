/** What a program may offer beside tools: resources, prompts and completion of their arguments. */
import type { Caller } from '../core/http/caller.ts';
import type { ContentBlock, ResourceContents } from './content.ts';
import type { Peer } from './elicitation/peer.ts';

interface DescribedResource {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
}
export interface Resource extends DescribedResource {
  readonly uri: string;
  readonly size?: number;
}
export interface ResourceTemplate extends DescribedResource {
  readonly uriTemplate: string;
}
export interface ResourceProvider<C extends Caller> {
  /** One page; `nextCursor` leads to the next. A cursor not of our making is an RpcError. */
  list(
    cursor: string | undefined,
    caller: C,
  ): Promise<{ readonly resources: readonly Resource[]; readonly nextCursor?: string }>;
  templates(caller: C): Promise<readonly ResourceTemplate[]>;
  /** `undefined` where there is no such resource. */
  read(uri: string, caller: C): Promise<readonly ResourceContents[] | undefined>;
  /**
   * Calls `changed` when the resource may have changed, until the returned function is called.
   * `undefined` where there can be no such resource. Without this method none can be watched.
   */
  watch?(uri: string, changed: () => void): (() => void) | undefined;
}

/** Of the extension `io.modelcontextprotocol/skills` (SEP-2640). */
export interface Skill {
  /** The resource URI of its `SKILL.md`. */
  readonly uri: string;
  /** That of its `SKILL.md`; `name` and `description` are always there. */
  readonly frontmatter: Readonly<Record<string, unknown>>;
  /** Every file of the skill. */
  readonly resources: readonly {
    readonly uri: string;
    readonly digest: `sha256:${string}`;
    readonly size: number;
  }[];
}
export interface SkillProvider<C extends Caller> {
  /** One page; `nextCursor` leads to the next. A cursor not of our making is an RpcError. */
  list(
    cursor: string | undefined,
    caller: C,
  ): Promise<{ readonly skills: readonly Skill[]; readonly nextCursor?: string }>;
  /** `undefined` where there is no such skill. */
  get(uri: string, caller: C): Promise<Skill | undefined>;
}

export interface Prompt {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments?: readonly {
    readonly name: string;
    readonly description?: string;
    readonly required?: boolean;
  }[];
}
export interface PromptMessage {
  readonly role: 'user' | 'assistant';
  readonly content: ContentBlock;
}
export interface PromptProvider<C extends Caller> {
  list(caller: C): Promise<readonly Prompt[]>;
  /** `undefined` where there is no such prompt; missing arguments are an RpcError. */
  get(
    name: string,
    args: Readonly<Record<string, string>>,
    caller: C,
    peer?: Peer,
  ): Promise<
    { readonly description?: string; readonly messages: readonly PromptMessage[] } | undefined
  >;
}

export interface CompletionRequest {
  /** The name of the prompt, or the URI template of the resource. */
  readonly ref:
    | { readonly type: 'ref/prompt'; readonly name: string }
    | { readonly type: 'ref/resource'; readonly uri: string };
  readonly argument: { readonly name: string; readonly value: string };
  /** The other arguments, as far as they are filled in. */
  readonly known: Readonly<Record<string, string>>;
}
/** The values an argument may take, best first; only the first hundred are sent. */
export type Complete<C extends Caller> = (
  request: CompletionRequest,
  caller: C,
) => Promise<readonly string[]>;
