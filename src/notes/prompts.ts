/** MCP prompts: tasks that a user starts in a client. */
import type { Caller } from '../core/http/caller.ts';
import { INVALID_PARAMS, RpcError } from '../mcp/jsonrpc.ts';
import type { Prompt, PromptMessage, PromptProvider } from '../mcp/provider.ts';
import { PROMPT_TEXTS, type PromptName } from './prompt-texts.ts';
import { resourceUri } from './resource-uri.ts';
import type { NotesParts } from './tool-kit/notes-tool.ts';
import { namingMissingTools } from './tools.ts';
import type { OpenVault } from './vaults/open-vault.ts';

const VAULT = { name: 'vault', description: 'The vault; the default one when absent.' };

const PROMPTS: Readonly<Record<PromptName, Omit<Prompt, 'name'>>> = {
  orient: {
    title: 'Get to know a vault',
    description: 'What the vault holds, how it is ordered, and what is going on in it.',
    arguments: [VAULT],
  },
  weekly_review: {
    title: 'Weekly review',
    description: 'What happened this week, what is open, and what comes next.',
    arguments: [VAULT],
  },
  capture_and_file: {
    title: 'Capture and file',
    description: 'Put a thought, or what lies in the inbox, where it belongs.',
    arguments: [{ name: 'text', description: 'What to capture; the inbox when absent.' }, VAULT],
  },
  clean_up: {
    title: 'Clean up',
    description: 'Repair links, merge duplicates and clean up what the review finds.',
    arguments: [VAULT, { name: 'path', description: 'Only below this folder.' }],
  },
};

export function notesPrompts(parts: NotesParts): PromptProvider<Caller> {
  const { vaults } = parts;
  return {
    list: async () => Object.entries(PROMPTS).map(([name, prompt]) => ({ name, ...prompt })),
    get: async (name, given) => {
      if (!isPrompt(name)) return undefined;
      const args = filledIn(given);
      const prompt = PROMPTS[name];
      const unknown = Object.keys(args).find(
        (key) => !prompt.arguments?.some((argument) => argument.name === key),
      );
      if (unknown !== undefined) throw invalid(`the prompt ${name} has no such argument`);
      if (args.vault !== undefined && !vaults.names().includes(args.vault)) {
        throw invalid(`unknown vault; choose one of ${vaults.names().join(', ')}`);
      }
      const open = vaults.get(args.vault);
      const text = namingMissingTools(PROMPT_TEXTS[name]({ ...args, vault: open.name }), parts);
      return {
        description: prompt.description!,
        messages: [...(await conventions(open)), { role: 'user', content: { type: 'text', text } }],
      };
    },
  };
}

/** Clients also send the arguments that were left empty. */
function filledIn(args: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== ''));
}

/** The conventions of the vault come before the task. */
async function conventions({ name, vault }: OpenVault): Promise<PromptMessage[]> {
  const text = await vault.instructions();
  if (text === undefined || text.trim() === '') return [];
  const resource = { uri: resourceUri(name, 'instructions'), mimeType: 'text/markdown', text };
  return [{ role: 'user', content: { type: 'resource', resource } }];
}

function isPrompt(name: string): name is PromptName {
  return Object.hasOwn(PROMPTS, name);
}

function invalid(message: string): RpcError {
  return new RpcError(INVALID_PARAMS, message);
}
