import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { LaunchOptions } from 'playwright-core';

/**
 * Returns launch options for the Chromium at `CHROMIUM_PATH`, or on Linux (x64) for the one from npm; undefined without
 * either.
 */
export const chromiumOptions = (): LaunchOptions | undefined => {
  const path = process.env['CHROMIUM_PATH'];
  const args = ['--no-sandbox'];
  if (path) return { executablePath: path, args };
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const folder = unpacked();
  return {
    executablePath: join(folder, 'chromium'),
    args,
    env: {
      ...process.env,
      LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
      FONTCONFIG_PATH: join(folder, 'fonts'),
    } as Record<string, string>,
  };
};

/**
 * Returns the folder of the unpacked browser, one per version. It is unpacked elsewhere and renamed, so that two
 * concurrent test runs never use half of it. The package unpacks into the temporary folder, so it runs in a process
 * with its own.
 */
const unpacked = (): string => {
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium');
  const { version } = JSON.parse(readFileSync(join(dirname(entry), '..', 'package.json'), 'utf8')) as {
    version: string;
  };
  const folder = join(tmpdir(), `ddp-chromium-${version}`);
  if (existsSync(folder)) return folder;
  const partial = mkdtempSync(`${folder}-`);
  const unpack = `import(${JSON.stringify(entry)}).then((m) => m.default.executablePath())`;
  const env = { ...process.env, TMPDIR: partial, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' };
  execFileSync(process.execPath, ['-e', unpack], { env, stdio: 'ignore' });
  writeFileSync(join(partial, 'fonts', 'fonts.conf'), fontsIn(folder));
  try {
    renameSync(partial, folder);
  } catch {
    // Another run finished first.
    rmSync(partial, { recursive: true, force: true });
  }
  return folder;
};

const fontsIn = (folder: string) => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${folder}/fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${folder}/fonts-cache</cachedir>
</fontconfig>
`;
