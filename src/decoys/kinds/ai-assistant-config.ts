/**
 * Configuration files of coding assistants: an `mcpServers` block with a repository token and a
 * database URL, both honeytokens.
 */
import { FileTimes, fileAnswer, JSON_TYPE, TEXT_TYPE } from '../kit/answer.ts';
import { CREDENTIALS_IN_FILES } from '../kit/catalogue-entry.ts';
import type { Decoy, Kind, Kit } from '../kit/decoy.ts';
import type { Probe } from '../kit/probe.ts';
import type { Persona } from '../persona/persona.ts';

/** Their files have any name; those of real tools have known names, in `built-in/ai-tools.yaml`. */
const ASSISTANT_DIRECTORIES = ['assistant-a', 'assistant-b', 'mcp'];
const TAG = 'ai-assistant-config';
const EDITOR_FILE = '/.vscode/mcp.json';
/** Any file of such a directory; `.` and `..` are none. */
const PATH = new RegExp(`^/\\.(?:${ASSISTANT_DIRECTORIES.join('|')})/(?!\\.{1,2}$)([^/]+)$`);

const TOKEN = '{token}';
const PASSWORD = '{password}';

export const aiAssistantConfig: Kind = {
  tag: TAG,
  category: 'credential-file',
  intention: 'steal tokens and database passwords from the configuration of a coding assistant',
  technique: CREDENTIALS_IN_FILES,
  references: ['https://modelcontextprotocol.io/docs/develop/connect-local-servers'],
  corpus: [
    '/.assistant-a/settings.local.json',
    '/.assistant-b/mcp_config.json',
    '/.mcp/config.json',
    '/.vscode/mcp.json',
    '/.claude/settings.json',
    '/.cursor/mcp.json',
    '/.windsurf/mcp_config.json',
    '/.codex/config.json',
    '/.gemini/settings.json',
    '/.continue/config.json',
  ].map((target) => ({
    target,
    expect: /"REPO_HOST_PERSONAL_ACCESS_TOKEN": "hp_live_[a-z2-7]{32}".*postgresql:\/\//s,
  })),
  create,
};

function create({ draw, persona, tokens }: Kit): Decoy {
  const times = new FileTimes(draw);
  const plain = template({ mcpServers: mcpServers(persona) });
  const settings = template({
    permissions: permissions(persona),
    mcpServers: mcpServers(persona),
  });
  const editor = template({
    inputs: [],
    servers: editorServers(persona),
    mcpServers: mcpServers(persona),
  });
  return {
    methods: 'any',
    match: (probe) => {
      if (!probe.path.startsWith('/.')) return undefined;
      if (probe.path === EDITOR_FILE) {
        return { tag: TAG, answer: () => answer(probe, editor, JSON_TYPE) };
      }
      const name = PATH.exec(probe.path)?.[1];
      if (name === undefined) return undefined;
      const file = name.startsWith('settings') ? settings : plain;
      const type = name.endsWith('.json') ? JSON_TYPE : TEXT_TYPE;
      return { tag: TAG, answer: () => answer(probe, file, type) };
    },
  };

  function answer(probe: Probe, file: Template, type: string) {
    const { address } = probe.client;
    const token = tokens.issue('configToken', address, probe.day);
    const password = tokens.seal('configDatabase', address, probe.day);
    const body = file[0] + token + file[1] + password + file[2];
    return fileAnswer(probe, times, { body, type, honeytokens: 2 });
  }
}

/** The texts before, between and after the two honeytokens of a file. */
type Template = readonly [string, string, string];

function template(file: object): Template {
  const [before = '', rest = ''] = `${JSON.stringify(file, null, 2)}\n`.split(TOKEN);
  const [between = '', after = ''] = rest.split(PASSWORD);
  return [before, between, after];
}

function mcpServers({ company, domain, database: { user, host, name } }: Persona): object {
  return {
    [`${company}-repos`]: {
      command: 'npx',
      args: ['-y', `@${company}/mcp-server-repos`, '--host', `git.${domain}`],
      env: { REPO_HOST_PERSONAL_ACCESS_TOKEN: TOKEN },
    },
    postgres: {
      command: 'npx',
      args: [
        '-y',
        `@${company}/mcp-server-postgres`,
        `postgresql://${user}:${PASSWORD}@${host}:5432/${name}`,
      ],
      env: { PGSSLMODE: 'require' },
    },
  };
}

function permissions({ domain }: Persona): object {
  return {
    allow: ['Bash(npm run test:*)', 'Bash(git diff:*)', `WebFetch(domain:wiki.${domain})`],
    deny: ['Read(./.env)', 'Read(./secrets/**)'],
  };
}

function editorServers({ domain, mcp }: Persona): object {
  return { [mcp.info.name]: { type: 'http', url: `https://mcp.${domain}/mcp` } };
}
