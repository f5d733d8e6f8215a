/** A missing prerequisite of the machine, with the command that remedies it. Nothing was started. */
export class LabUnavailable extends Error {
  override readonly name = 'LabUnavailable';
}
