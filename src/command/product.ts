import type { Command } from 'commander';
import { setPublic } from '../operator/product.js';
import { setRetention } from '../operator/retention.js';
import { addCommand, answer, duration, type OutputOptions } from './command.js';
import { withDatabase } from './workplace.js';

/** `ddp product ...` */
export function addProductCommands(group: Command): void {
  for (const [verb, isPublic] of [
    ['publish', true],
    ['unpublish', false],
  ] as const) {
    const effect = isPublic ? 'Show a product to every organization.' : 'Show a product to its own organization alone.';
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

/** `ddp retention ...` */
export function addRetentionCommands(group: Command): void {
  addCommand(group, 'set <duration>', 'Keep records for so long (90d), or for ever (none).')
    .requiredOption('--organization <id>', 'whose records')
    .option('--product <id>', 'only those of this product; it counts instead of what the organization has')
    .action(
      async (
        text: string,
        { organization, product, json }: OutputOptions & { organization: string; product?: string },
      ) => {
        const keep = text === 'none' ? null : duration(text);
        const retention = { organizationId: organization, productId: product ?? null };
        await withDatabase(({ pool }) => setRetention(pool, retention, keep));
        answer({ json }, { ...retention, keep: text });
      },
    );
}
