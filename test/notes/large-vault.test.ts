import { testLargeVault } from '../support/notes/large-vault.ts';

testLargeVault(10_000);
