// Says in one line what is missing before anything of newer Node is read.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 7)) {
  console.error(
    `Node ${process.versions.node} is too old; npm ci brings Node 24, then use npm start or npm run demo`,
  );
  process.exit(1);
}
await import(process.argv[2] === 'demo' ? './demo.ts' : './start.ts');
