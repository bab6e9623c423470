import { testLargeVault } from '../support/large-vault.ts';

testLargeVault(10_000);
