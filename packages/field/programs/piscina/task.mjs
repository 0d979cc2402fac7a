export function compress(size) {
  let checksum = 0;
  for (let index = 0; index < size; index++) checksum = (checksum * 31 + (index ^ (checksum >>> 3))) >>> 0;
  return checksum;
}

export default compress;
