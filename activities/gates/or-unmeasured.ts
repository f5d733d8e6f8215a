import { type Measurement, unmeasured } from '../../domain/gates/samples/measurement.js';
import { failureTypeOf, plainMessage } from '../failures.js';

/** A reading that fails is unmeasured, with the failure's words; only a cancelled caller gets an error. */
export async function orUnmeasured<T>(
  read: () => Promise<Measurement<T>>,
): Promise<Measurement<T>> {
  try {
    return await read();
  } catch (error) {
    if (failureTypeOf(error) === null) throw error;
    return unmeasured(plainMessage(error));
  }
}
