import type { Command } from 'commander';
import { setPublic } from '#operator/product.js';
import { setRetention } from '#operator/retention.js';
import { addCommand, answer, duration, type OutputOptions } from './command.js';
import { withDatabase } from './workplace.js';

/** Adds `ddp product ...`. */
export function addProductCommands(group: Command): void {
  for (const [verb, isPublic] of [
    ['publish', true],
    ['unpublish', false],
  ] as const) {
    const effect = isPublic ? 'Show a product to every organization.' : 'Show a product only to its own organization.';
    addCommand(group, `${verb} <id>`, effect).action(async (id: string, options: OutputOptions) =>
      answer(
        options,
        await withDatabase(async ({ pool, now }) => {
          await setPublic(pool, id, isPublic, now);
          return { id, public: isPublic };
        }),
      ),
    );
  }
}

/** Adds `ddp retention ...`. */
export function addRetentionCommands(group: Command): void {
  addCommand(group, 'set', 'Set how long records are kept.')
    .argument('<duration>', 'such as 90d (a number and s, m, h or d), or none to keep them for ever', keepOf)
    .requiredOption('--organization <id>', 'whose records (required)')
    .option('--product <id>', 'only those of this product, in place of the retention of its organization')
    .action(
      async (
        keep: Keep,
        { organization, product, json }: OutputOptions & { organization: string; product?: string },
      ) => {
        const retention = { organizationId: organization, productId: product ?? null };
        await withDatabase(({ pool }) => setRetention(pool, retention, keep.milliseconds));
        answer({ json }, { ...retention, keep: keep.text });
      },
    );
}

/** A retention period as the operator wrote it, and in milliseconds; null keeps records forever. */
interface Keep {
  text: string;
  milliseconds: number | null;
}

const keepOf = (text: string): Keep => ({ text, milliseconds: text === 'none' ? null : duration(text) });
