// Object file of data only: ELF for x86-64.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Package/DataObject.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/MathExtras.h"
#include <vector>

using namespace llvm;
using namespace ampc;
using namespace llvm::ELF;

static constexpr uint64_t alignment = 64;

std::vector<int64_t> ampc::pieceOffsets(ArrayRef<StringRef> pieces) {
  std::vector<int64_t> places{0};
  for (StringRef piece : pieces)
    places.push_back(int64_t(alignTo(uint64_t(places.back()) + piece.size(), alignment)));
  return places;
}

namespace {
class Writer {
public:
  SmallVector<char, 0> run(StringRef symbol, ArrayRef<StringRef> pieces);

private:
  template <typename T> void put(const T &value) {
    auto *bytes = reinterpret_cast<const char *>(&value);
    object.append(bytes, bytes + sizeof value);
  }
  /// Starts a section at the end of the object.
  Elf64_Shdr &begin(StringRef name, uint32_t type, uint64_t flags, uint64_t aligned) {
    object.resize(alignTo(object.size(), aligned));
    sections.push_back(
        {uint32_t(names.size()), type, flags, 0, object.size(), 0, 0, 0, aligned, 0});
    names += name;
    names += '\0';
    return sections.back();
  }
  void end() { sections.back().sh_size = object.size() - sections.back().sh_offset; }
  void addSymbols(StringRef symbol, uint64_t size);

  SmallVector<char, 0> object;
  std::vector<Elf64_Shdr> sections{Elf64_Shdr{}};
  std::string names = std::string(1, '\0');
};
} // namespace

/// Writes the symbol table; the string table is the next section.
void Writer::addSymbols(StringRef symbol, uint64_t size) {
  Elf64_Shdr &table = begin(".symtab", SHT_SYMTAB, 0, 8);
  table.sh_link = sections.size();
  table.sh_info = 1; // index of the first global symbol
  table.sh_entsize = sizeof(Elf64_Sym);
  put(Elf64_Sym{});
  Elf64_Sym data{};
  data.st_name = 1;
  data.setBindingAndType(STB_GLOBAL, STT_OBJECT);
  data.st_other = STV_HIDDEN;
  data.st_shndx = 1;
  data.st_size = size;
  put(data);
  end();
  begin(".strtab", SHT_STRTAB, 0, 1);
  object.push_back(0);
  object.append(symbol.begin(), symbol.end());
  object.push_back(0);
  end();
}

SmallVector<char, 0> Writer::run(StringRef symbol, ArrayRef<StringRef> pieces) {
  std::vector<int64_t> places = pieceOffsets(pieces);
  object.reserve(places.back() + 4096);
  Elf64_Ehdr header{};
  put(header);
  // Section for large data: code next to small data still reaches the small data.
  begin(".lrodata", SHT_PROGBITS, SHF_ALLOC | SHF_X86_64_LARGE, alignment);
  uint64_t start = object.size();
  for (auto [piece, place] : zip(pieces, places)) {
    object.resize(start + place);
    object.append(piece.begin(), piece.end());
  }
  object.resize(start + places.back());
  end();
  addSymbols(symbol, places.back());
  begin(".note.GNU-stack", SHT_PROGBITS, 0, 1);
  begin(".shstrtab", SHT_STRTAB, 0, 1);
  object.append(names.begin(), names.end());
  end();
  object.resize(alignTo(object.size(), 8));
  std::copy_n(ElfMagic, 4, header.e_ident);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_REL;
  header.e_machine = EM_X86_64;
  header.e_version = EV_CURRENT;
  header.e_shoff = object.size();
  header.e_ehsize = sizeof header;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = sections.size();
  header.e_shstrndx = sections.size() - 1;
  std::memcpy(object.data(), &header, sizeof header);
  for (const Elf64_Shdr &section : sections)
    put(section);
  return std::move(object);
}

SmallVector<char, 0> ampc::writeDataObject(StringRef symbol, ArrayRef<StringRef> pieces) {
  return Writer().run(symbol, pieces);
}
