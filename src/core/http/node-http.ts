/**
 * Node's HTTP module. An `import` of it reads all it exports, among them its WebSocket, and loads a
 * whole HTTP client for that: at every start 45 ms and some megabytes for nothing. Types can be
 * imported from it as ever.
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http');
