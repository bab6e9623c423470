import type { BuiltIn } from '../definitions/definition.ts';

/** What a request with a tag means: the columns of the second table of docs/decoys.md. */
export interface CatalogueEntry {
  readonly tag: string;
  readonly category: Category;
  /** What the sender of the request is after. */
  readonly intention: string;
  readonly technique: Technique;
  readonly references: readonly string[];
}

const CATEGORIES = [
  'credential-file',
  'source-code',
  'information-leak',
  'admin-panel',
  'api-enumeration',
  'service-discovery',
  'ssrf',
  'reuse',
] as const;
type Category = (typeof CATEGORIES)[number];

/** Of MITRE ATT&CK for enterprises. */
interface Technique {
  readonly id: string;
  readonly name: string;
  readonly url: string;
}

export const CREDENTIALS_IN_FILES = technique(
  'T1552.001',
  'Unsecured Credentials: Credentials In Files',
);
export const METADATA_API = technique(
  'T1552.005',
  'Unsecured Credentials: Cloud Instance Metadata API',
);
export const WORDLIST = technique('T1595.003', 'Active Scanning: Wordlist Scanning');
export const VULNERABILITY_SCAN = technique('T1595.002', 'Active Scanning: Vulnerability Scanning');
const PASSWORD_GUESSING = technique('T1110.001', 'Brute Force: Password Guessing');
export const CODE_REPOSITORIES = technique(
  'T1213.003',
  'Data from Information Repositories: Code Repositories',
);
export const VALID_ACCOUNTS = technique('T1078', 'Valid Accounts');

const TECHNIQUES = [
  CREDENTIALS_IN_FILES,
  METADATA_API,
  WORDLIST,
  VULNERABILITY_SCAN,
  VALID_ACCOUNTS,
  PASSWORD_GUESSING,
  CODE_REPOSITORIES,
];

/** The entry of a decoy file, which names category and technique as text. */
export function entryOfFile(file: BuiltIn): CatalogueEntry {
  const { tag, intention, references } = file;
  const category = CATEGORIES.find((known) => known === file.category);
  const known = TECHNIQUES.find(({ id }) => id === file.technique);
  if (!category || !known) throw new Error(`${tag} has no known category or technique`);
  return { tag, category, intention, technique: known, references };
}

/** The page of a weakness in the Common Weakness Enumeration. */
export function cwe(number: number): string {
  return `https://cwe.mitre.org/data/definitions/${number}.html`;
}

function technique(id: string, name: string): Technique {
  return { id, name, url: `https://attack.mitre.org/techniques/${id.replace('.', '/')}/` };
}
