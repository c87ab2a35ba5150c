// Identity of the running program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/BuildIds.h"
#include "ampc/Package/Assembler.h"
#include "llvm/Support/MathExtras.h"
#include <elf.h>
#include <link.h>

using namespace ampc;

/// Content of the note NT_GNU_BUILD_ID in a segment of notes: header, name "GNU", content, each
/// aligned as the segment; empty if there is none.
static llvm::StringRef buildIdIn(llvm::StringRef notes, uint64_t alignment) {
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) header;
    std::memcpy(&header, notes.data(), sizeof header);
    uint64_t begin = sizeof header + llvm::alignTo(header.n_namesz, alignment);
    uint64_t end = begin + header.n_descsz;
    if (end > notes.size())
      break;
    if (header.n_type == NT_GNU_BUILD_ID)
      return notes.slice(begin, end);
    notes = notes.drop_front(std::min<uint64_t>(llvm::alignTo(end, alignment), notes.size()));
  }
  return {};
}

static int addObject(dl_phdr_info *object, size_t, void *data) {
  auto &key = *static_cast<CacheKey *>(data);
  llvm::StringRef id;
  for (int i = 0; i < object->dlpi_phnum && id.empty(); ++i) {
    const ElfW(Phdr) &segment = object->dlpi_phdr[i];
    if (segment.p_type == PT_NOTE)
      id = buildIdIn({reinterpret_cast<const char *>(object->dlpi_addr + segment.p_vaddr),
                      size_t(segment.p_memsz)},
                     segment.p_align == 8 ? 8 : 4);
  }
  key.add(object->dlpi_name).add(id);
  if (id.empty()) // the program itself has no name here
    key.addNumber(stampOf(*object->dlpi_name ? object->dlpi_name : "/proc/self/exe"));
  return 0;
}

void ampc::addBuildIds(CacheKey &key) { dl_iterate_phdr(addObject, &key); }
