/**
 * Node's HTTP module. An `import` evaluates all its exports, of which WebSocket loads a whole HTTP client:
 * 45 ms at each start and some megabytes. Types can be imported as usual.
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http');
