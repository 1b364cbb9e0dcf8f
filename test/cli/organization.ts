import { stringify } from 'yaml';
import { createGraphClient, type Graph } from '../../src/clients/configuration/client.js';
import { type Configuration, parseDocument, toYaml } from '../../src/clients/configuration/document.js';
import { documentOf } from '../../src/clients/configuration/export.js';
import { lineOf } from '../../src/clients/configuration/plan.js';
import { applyDocument } from '../../src/clients/configuration/run.js';
import { readState } from '../../src/clients/configuration/state.js';
import type { AccountActor } from '../support/world.js';

/** Uses of a document by `ddp apply`. */
export interface Applied {
  lines: string[];
  done: number;
  faults: string[];
  warnings: string[];
}

/** Exports and applies the configuration of an organization as the commands do, in this process. */
export class Organization {
  readonly graph: Graph;

  constructor(
    url: string,
    readonly owner: AccountActor,
  ) {
    this.graph = createGraphClient(url, owner.token!);
  }

  async export(): Promise<Required<Configuration>> {
    const state = await readState(this.graph, this.owner.id, { devices: true, members: false });
    return (await parseDocument(await toYaml(documentOf(state)), false)) as Required<Configuration>;
  }

  async apply(
    document: object | string,
    options: { prune?: boolean; dryRun?: boolean } = {},
    graph = this.graph,
  ): Promise<Applied> {
    const text = typeof document === 'string' ? document : stringify(document, { aliasDuplicateObjects: false });
    const wanted = await parseDocument(text, false);
    const target = { graph, organizationId: this.owner.id };
    const { prune = false, dryRun = false } = options;
    const { plan, done, faults, warnings } = await applyDocument(target, wanted, { prune, dryRun });
    return { lines: plan.steps.map(lineOf), done, faults, warnings };
  }
}
