/**
 * Whether the tests of this process meet one server or three replicas behind a balancer, which share
 * a store: `test/run.ts` runs some of the files in either way.
 */
export const areReplicas = process.env.TEST_REPLICAS !== undefined;
export const REPLICAS = 3;
export const SEAL_KEY = 'a seal key of the tests, thirty-two letters or more';
