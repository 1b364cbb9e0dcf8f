import { InputType } from 'type-graphql';
import { number } from './fields.js';

@InputType({ description: 'A location on Earth (WGS 84).' })
export class LocationInput {
  @number('Latitude in degrees.', -90, 90) lat!: number;
  @number('Longitude in degrees.', -180, 180) lon!: number;
}
