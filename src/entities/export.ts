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
  auditEvents = 'auditEvents',
}

/** Formats of exported files. */
export enum ExportFormat {
  csv = 'csv',
  ndjson = 'ndjson',
  parquet = 'parquet',
}

registerEnumType(ExportSubject, {
  name: 'ExportSubject',
  description: "Content of an application's export.",
  valuesConfig: {
    records: { description: "Records of the application's devices, the oldest first." },
    aggregations: {
      description: 'The buckets of aggregations over these records, one row per innermost bucket, as CSV or NDJSON.',
    },
    devices: { description: 'The devices linked to the application.' },
    deliveries: {
      description:
        "Deliveries of the application's hooks, the oldest first. Only callers who may change the application can export them.",
    },
    episodes: { description: "Episodes of the application's alert rules, the oldest first." },
  },
});
registerEnumType(OrganizationExportSubject, {
  name: 'OrganizationExportSubject',
  description: "Content of an organization's export.",
  valuesConfig: {
    devices: { description: 'The devices that the caller can read, in the order of their creation.' },
    deliveries: {
      description: 'Deliveries of the hooks of applications that the caller may change, the oldest first.',
    },
    episodes: { description: 'Episodes of the applications that the caller can read, the oldest first.' },
    auditEvents: { description: 'Events of the audit log, the oldest first; only for owners.' },
  },
});
registerEnumType(ExportFormat, { name: 'ExportFormat', description: 'Format of an exported file.' });

@ObjectType({ description: 'The address of an export. Fetch it with the same token in the header `Authorization`.' })
export class ExportLink {
  @Field(() => WebAddress, { description: 'Address of the file, to fetch with GET.' }) url!: string;
}
