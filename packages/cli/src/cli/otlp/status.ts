import { PbfWriter } from 'pbf';

/** A `google.rpc.Status` message: the body of an OTLP error response in protobuf. */
export function protobufStatus(message: string): Uint8Array {
  const writer = new PbfWriter();
  writer.writeStringField(2, message);
  return writer.finish();
}
