import { Field, ObjectType, registerEnumType } from 'type-graphql';
import { WebAddress } from './scalars.js';

/** Contents of an application's exports. */
export enum ExportSubject {
  records = 'records',
  aggregations = 'aggregations',
  devices = 'devices',
  deliveries = 'deliveries',
  episodes = 'episodes',
}

/** Contents of an organization's exports. */
export enum OrganizationExportSubject {
  devices = 'devices',
  deliveries = 'deliveries',
  episodes = 'episodes',
}

/** Formats of exported files. */
export enum ExportFormat {
  csv = 'csv',
  ndjson = 'ndjson',
  parquet = 'parquet',
}

registerEnumType(ExportSubject, {
  name: 'ExportSubject',
  description: 'What an export holds.',
  valuesConfig: {
    records: { description: 'Records of the devices of the application, the oldest first.' },
    aggregations: {
      description: 'The buckets of aggregations over these records, a row for each innermost one; as CSV or NDJSON.',
    },
    devices: { description: 'The devices that are linked to the application.' },
    deliveries: { description: 'Deliveries of its hooks, the oldest first; only for who may change the application.' },
    episodes: { description: 'Episodes of its alert rules, the oldest first.' },
  },
});
registerEnumType(OrganizationExportSubject, {
  name: 'OrganizationExportSubject',
  description: 'What an export of an organization holds.',
  valuesConfig: {
    devices: { description: 'The devices that the caller can read, in the order of their making.' },
    deliveries: {
      description: 'Deliveries of the hooks of applications that the caller may change, the oldest first.',
    },
    episodes: { description: 'Episodes of the applications that the caller can read, the oldest first.' },
  },
});
registerEnumType(ExportFormat, { name: 'ExportFormat', description: 'Format of an exported file.' });

/** The address of an export. */
@ObjectType({ description: 'Where an export is fetched, with the same token in the header `Authorization`.' })
export class ExportLink {
  @Field(() => WebAddress, { description: 'Address; GET answers the file.' }) url!: string;
}
