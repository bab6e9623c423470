import { testLargeVault } from '../support/notes/large-vault.ts';

testLargeVault(3_000);
