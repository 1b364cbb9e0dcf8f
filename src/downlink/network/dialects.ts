import { chirpStack } from './chirpstack.js';
import type { Dialects } from './dialect.js';
import { theThingsStack } from './the-things-stack.js';

/** The dialects of network servers. */
export const dialects: Dialects = { THE_THINGS_STACK: theThingsStack, CHIRPSTACK: chirpStack };
