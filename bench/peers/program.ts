import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { stdout } from 'node:process';
import { pathToFileURL } from 'node:url';

/* Common code of the compared programs. Each is started with the address of the database (DATABASE_URL) and, when it
   needs packages that are not part of the project, with the folder that they are installed in. */

/** Arguments of the program. */
export const [, , folder = ''] = process.argv;
export const connectionString = process.env['DATABASE_URL'] ?? '';

/** Loads a package from the folder of compared packages. */
export const loadPeer = async <Module>(name: string): Promise<Module> =>
  (await import(pathToFileURL(createRequire(join(folder, 'package.json')).resolve(name)).href)) as Module;

/** Listens on a free port and prints it on the line that the bench waits for. */
export const announce = (server: Server): void => {
  server.listen(0, '127.0.0.1', () => stdout.write(`${JSON.stringify(server.address())}\n`));
};
