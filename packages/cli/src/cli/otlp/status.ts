import { PbfWriter } from 'pbf';

/** `google.rpc.Status` with a message: the body of an OTLP error response in protobuf. */
export function protobufStatus(message: string): Uint8Array {
  const writer = new PbfWriter();
  writer.writeStringField(2, message);
  return writer.finish();
}
