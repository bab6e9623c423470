import { testLargeVault } from '../support/notes/large-vault.ts';

const SIZES = process.env.NOTES_LARGE ?? '5000,10000,100000';

for (const size of SIZES.split(',')) testLargeVault(Number(size));
