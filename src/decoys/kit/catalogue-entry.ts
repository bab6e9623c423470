/** What a request with a tag means: the columns of the second table of docs/decoys.md. */
export interface CatalogueEntry {
  readonly tag: string;
  readonly category: 'credential-file' | 'api-enumeration' | 'service-discovery' | 'ssrf' | 'reuse';
  /** What the sender of the request is after. */
  readonly intention: string;
  readonly technique: Technique;
  readonly references: readonly string[];
}

/** Of MITRE ATT&CK for enterprises. */
export interface Technique {
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
export const VALID_ACCOUNTS = technique('T1078', 'Valid Accounts');

/** The page of a weakness in the Common Weakness Enumeration. */
export function cwe(number: number): string {
  return `https://cwe.mitre.org/data/definitions/${number}.html`;
}

function technique(id: string, name: string): Technique {
  return { id, name, url: `https://attack.mitre.org/techniques/${id.replace('.', '/')}/` };
}
