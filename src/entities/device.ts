import { Entity, Property } from '@mikro-orm/decorators/legacy';
import { Field, Float, Int, ObjectType } from 'type-graphql';
import {
  computed,
  createdAt,
  identifier,
  now,
  RestShape,
  reference,
  serial,
  text,
  texts,
  updatedAt,
} from './columns.js';
import { Node } from './node.js';
import { Product, ProductReference } from './product.js';
import { slugOfDevice } from './slug.js';

@ObjectType({ description: 'A location on Earth (WGS 84).' })
export class Location {
  @Field(() => Float, { description: 'Latitude in degrees, -90 to 90.' }) lat!: number;
  @Field(() => Float, { description: 'Longitude in degrees, -180 to 180.' }) lon!: number;
}

/** A device, as lists show it (contract, section 5). */
@ObjectType({ description: 'A device, as lists show it.' })
export class DeviceListItem {
  @identifier() id!: string;
  @reference('Organization that owns it.') organizationId!: string;
  @serial('Serial number, unchanged as it was sent: groups of hexadecimal digits joined by dashes.') serial!: string;
  @text('Name.', { nullable: true }) name?: string | null;
  @text('Readable name for URLs, derived from the name or, without a name, from the serial number.') slug!: string;
  @texts('Tags.') tags: string[] = [];
  @computed(() => Product, 'Product that describes the device.', { nullable: true })
  @RestShape(ProductReference)
  product?: ProductReference | null;
  @computed(() => Int, 'Number of linked applications that the caller can read.') applicationCount: number = 0;
}

/** New values of a device. An absent field stays unchanged; `null` clears it. */
export interface DeviceChange {
  name?: string | null;
  tags?: string[] | null;
  product?: ProductReference | null;
  location?: Location | null;
}

@ObjectType({ implements: Node, description: 'A device, which sends records.' })
@Entity()
export class Device extends DeviceListItem {
  @Property({ type: 'uuid', columnType: 'uuid', nullable: true }) productId?: string | null;
  @Property({ type: 'double', columnType: 'double precision', nullable: true }) lat?: number | null;
  @Property({ type: 'double', columnType: 'double precision', nullable: true }) lon?: number | null;
  @computed(() => Location, 'Location of the device.', { nullable: true }) location?: Location | null;
  @createdAt() createdAt: string = now();
  @updatedAt() updatedAt: string = now();

  /** Applies new values. The slug follows the name, or the serial number when there is no name. */
  change({ name, tags, product, location }: DeviceChange): this {
    if (name !== undefined) this.name = name;
    this.slug = slugOfDevice(this.name, this.serial, this.id);
    if (tags !== undefined) this.tags = tags ?? [];
    if (product !== undefined) {
      this.product = product;
      this.productId = product?.id ?? null;
    }
    if (location !== undefined) {
      this.location = location;
      this.lat = location?.lat ?? null;
      this.lon = location?.lon ?? null;
    }
    return this;
  }
}
