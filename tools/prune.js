/**
 * Deletes the parts of installed packages that nothing here reads, 210 MB of 880: headers for compiling extensions of
 * Node.js, other builds of Monaco and Swagger UI than those that the pages take, finer maps of the world, and the
 * largest source maps, as the pages do not serve them and Node.js does not read them. npm runs it after `npm ci` and
 * `npm install` in a checkout.
 */
import { globSync, rmSync } from 'node:fs';

const unread = [
  'node_modules/node/node_modules/*/include',
  'node_modules/monaco-editor/{dev,min,min-maps}',
  'node_modules/swagger-ui-dist/swagger-ui-es-*.js',
  'node_modules/world-atlas/*-{10,50}m.json',
  'node_modules/{react-aria,react-stately,framer-motion,motion-dom,swagger-ui-dist}/**/*.map',
  'node_modules/{libphonenumber-js,class-validator,@modelcontextprotocol/*}/**/*.map',
];

for (const path of globSync(unread)) rmSync(path, { recursive: true, force: true });
