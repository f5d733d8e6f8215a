import type { DataConverter } from '@temporalio/common';
import { COMPRESSED_PAYLOADS } from './compressed-payloads.js';

/**
 * How inputs, results and messages are written into histories: Temporal's plain JSON, compressed where it is large. A codec that
 * encrypts them goes here and nowhere else; workers, commands, `audit verify` and its replay all use this converter.
 */
export const DATA_CONVERTER: DataConverter = { payloadCodecs: [COMPRESSED_PAYLOADS] };
