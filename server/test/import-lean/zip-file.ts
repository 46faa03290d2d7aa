/** Zip files for tests, written and read with nothing but zlib. */
import { readFileSync } from 'node:fs';
import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';

const LOCAL_HEADER = 0x04034b50;
const CENTRAL_HEADER = 0x02014b50;
const END_OF_DIRECTORY = 0x06054b50;
const DEFLATED = 8;
const UTF8_NAME = 1 << 11;

function entryFields(data: Buffer, packed: Buffer, name: Buffer): Buffer {
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(20, 0);
  fields.writeUInt16LE(UTF8_NAME, 2);
  fields.writeUInt16LE(DEFLATED, 4);
  fields.writeUInt32LE(crc32(data), 10);
  fields.writeUInt32LE(packed.length, 14);
  fields.writeUInt32LE(data.length, 18);
  fields.writeUInt16LE(name.length, 22);
  return fields;
}

function signature(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** The bytes of a zip file with the given members. */
export function zipBytes(members: Readonly<Record<string, string>>): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [memberName, text] of Object.entries(members)) {
    const data = Buffer.from(text);
    const packed = deflateRawSync(data);
    const name = Buffer.from(memberName);
    const fields = entryFields(data, packed, name);
    const local = Buffer.concat([signature(LOCAL_HEADER), fields, name, packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    const madeBy = Buffer.from([20, 0]);
    directory.push(Buffer.concat([signature(CENTRAL_HEADER), madeBy, fields, tail, name]));
    locals.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(directory.length, 4);
  end.writeUInt16LE(directory.length, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, central, signature(END_OF_DIRECTORY), end]);
}

const IN_EXTRA_FIELD = 0xffffffff;
const ZIP64_FIELD = 1;

/** Packed length and offset of an entry of the directory, of 32 bits or of 64 behind the name. */
function placeOf(bytes: Buffer, at: number): { packedLength: number; local: number } {
  const extraAt = at + 46 + bytes.readUInt16LE(at + 28);
  let field = extraAt;
  const extraEnd = extraAt + bytes.readUInt16LE(at + 30);
  while (field < extraEnd && bytes.readUInt16LE(field) !== ZIP64_FIELD) {
    field += 4 + bytes.readUInt16LE(field + 2);
  }
  field += 4;
  const [, packedLength, local] = [24, 20, 42].map((offset) => {
    const value = bytes.readUInt32LE(at + offset);
    if (value !== IN_EXTRA_FIELD) return value;
    field += 8;
    return Number(bytes.readBigUInt64LE(field - 8));
  }) as [number, number, number];
  return { packedLength, local };
}

/** The members of a zip file by name, in the order of its directory. */
export function unzip(path: string): Map<string, string> {
  const bytes = readFileSync(path);
  const end = bytes.lastIndexOf(signature(END_OF_DIRECTORY));
  const members = new Map<string, string>();
  let at = bytes.readUInt32LE(end + 16);
  while (bytes.readUInt32LE(at) === CENTRAL_HEADER) {
    const method = bytes.readUInt16LE(at + 10);
    const { packedLength, local } = placeOf(bytes, at);
    const nameLength = bytes.readUInt16LE(at + 28);
    const name = bytes.toString('utf8', at + 46, at + 46 + nameLength);
    const dataAt = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const packed = bytes.subarray(dataAt, dataAt + packedLength);
    members.set(name, (method === DEFLATED ? inflateRawSync(packed) : packed).toString());
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return members;
}
