/** The gateway, on a machine whose clock is set back by an hour at SIGUSR2. */
import { serve } from '../../src/gateway/serve.ts';

const now = Date.now;
let backMs = 0;
Date.now = () => now() - backMs;
process.on('SIGUSR2', () => {
  backMs = 3_600_000;
});
process.exitCode = await serve(process.env);
