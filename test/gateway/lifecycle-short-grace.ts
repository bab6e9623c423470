/** The gateway with a grace so short that a test can wait for its end. */
import { serve } from '../../src/gateway/serve.ts';

process.exitCode = await serve(process.env, { graceMs: 300 });
