/**
 * What each tag means: for people in `docs/decoys.md`, for programs in `docs/decoys.json`, which
 * a test keeps equal to this table.
 */
export interface Technique {
  /** Of MITRE ATT&CK for enterprises. */
  readonly id: string;
  readonly name: string;
  readonly url: string;
}

export interface CatalogueEntry {
  readonly tag: string;
  readonly category: 'credential-file' | 'api-enumeration' | 'service-discovery' | 'ssrf' | 'reuse';
  /** What whoever asks is after. */
  readonly intention: string;
  readonly technique: Technique;
  readonly references: readonly string[];
}

const CREDENTIALS_IN_FILES = technique('T1552.001', 'Unsecured Credentials: Credentials In Files');
const METADATA_API = technique('T1552.005', 'Unsecured Credentials: Cloud Instance Metadata API');
const WORDLIST = technique('T1595.003', 'Active Scanning: Wordlist Scanning');
const VULNERABILITY_SCAN = technique('T1595.002', 'Active Scanning: Vulnerability Scanning');
const VALID_ACCOUNTS = technique('T1078', 'Valid Accounts');

const CWE = 'https://cwe.mitre.org/data/definitions';

export const CATALOGUE: readonly CatalogueEntry[] = [
  {
    tag: 'aws-credentials',
    category: 'credential-file',
    intention: 'steal keys of a cloud account',
    technique: CREDENTIALS_IN_FILES,
    references: ['https://docs.aws.amazon.com/cli/latest/userguide/cli-configure-files.html'],
  },
  {
    tag: 'ai-assistant-credentials',
    category: 'credential-file',
    intention: 'steal the sign-in of a coding assistant',
    technique: CREDENTIALS_IN_FILES,
    references: [`${CWE}/538.html`],
  },
  {
    tag: 'ai-assistant-config',
    category: 'credential-file',
    intention: 'steal tokens and database passwords from the configuration of a coding assistant',
    technique: CREDENTIALS_IN_FILES,
    references: ['https://modelcontextprotocol.io/docs/develop/connect-local-servers'],
  },
  {
    tag: 'rest-api-idor',
    category: 'api-enumeration',
    intention: 'read the records of other people by counting ids',
    technique: WORDLIST,
    references: [`${CWE}/639.html`],
  },
  {
    tag: 'mcp-server-probe',
    category: 'service-discovery',
    intention: 'find MCP servers that let anybody call their tools',
    technique: VULNERABILITY_SCAN,
    references: ['https://modelcontextprotocol.io/specification'],
  },
  {
    tag: 'llm-compat-models',
    category: 'service-discovery',
    intention: 'find inference servers to use at the cost of others',
    technique: VULNERABILITY_SCAN,
    references: ['https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html'],
  },
  {
    tag: 'local-llm-tags',
    category: 'service-discovery',
    intention: 'find Ollama servers to use at the cost of others',
    technique: VULNERABILITY_SCAN,
    references: ['https://github.com/ollama/ollama/blob/main/docs/api.md'],
  },
  {
    tag: 'ssrf-metadata-probe',
    category: 'ssrf',
    intention: "read a cloud machine's credentials through a proxy that fetches anything",
    technique: METADATA_API,
    references: [`${CWE}/918.html`],
  },
  {
    tag: 'honeytoken-used',
    category: 'reuse',
    intention: 'use what a decoy gave out',
    technique: VALID_ACCOUNTS,
    references: [`${CWE}/522.html`],
  },
];

/** The entry of a tag as it stands in an event line: `rest-api-idor-users` is `rest-api-idor`. */
export function entryOf(tag: string): CatalogueEntry | undefined {
  return CATALOGUE.find((entry) => tag === entry.tag || tag.startsWith(`${entry.tag}-`));
}

function technique(id: string, name: string): Technique {
  return { id, name, url: `https://attack.mitre.org/techniques/${id.replace('.', '/')}/` };
}
