// SPDX-License-Identifier: Apache-2.0
// results/store/hdf5: what others added to a file goes into the one that takes its place.
#include "results/store/hdf5/carry_over.h"

#include <algorithm>
#include <set>

#include "results/store/hdf5/attributes.h"

namespace relbias::results::hdf5 {
namespace {

void copy_attribute(hid_t from, hid_t to, const std::string& name) {
  const Handle attribute(H5Aopen(from, name.c_str(), H5P_DEFAULT), H5Aclose, name);
  const Handle type(H5Aget_type(attribute), H5Tclose, name);
  const Handle space(H5Aget_space(attribute), H5Sclose, name);
  // Texts of variable length come as pointers, which HDF5 frees.
  std::vector<char> value(H5Aget_storage_size(attribute) +
                          H5Tget_size(type) * static_cast<size_t>(std::max<hssize_t>(
                                                  1, H5Sget_simple_extent_npoints(space))));
  checked(H5Aread(attribute, type, value.data()), name);
  const Handle created(H5Acreate2(to, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT),
                       H5Aclose, name);
  checked(H5Awrite(created, type, value.data()), name);
  if (H5Tdetect_class(type, H5T_VLEN) > 0 || H5Tis_variable_str(type) > 0) {
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, value.data());
  }
}

void copy_attributes(hid_t from, hid_t to) {
  std::vector<std::string> names;
  const auto collect = [](hid_t, const char* name, const H5A_info_t*, void* list) -> herr_t {
    static_cast<std::vector<std::string>*>(list)->emplace_back(name);
    return 0;
  };
  checked(H5Aiterate2(from, H5_INDEX_NAME, H5_ITER_INC, nullptr, collect, &names), "attributes");
  for (const std::string& name : names) {
    if (checked(H5Aexists(to, name.c_str()), name) == 0) copy_attribute(from, to, name);
  }
}

struct LinkPlace {
  hid_t file, creation;
};

void copy_soft_link(hid_t from, const LinkPlace& to, const std::string& path, size_t size) {
  std::vector<char> target(size + 1);
  checked(H5Lget_val(from, path.c_str(), target.data(), size, H5P_DEFAULT), path);
  checked(H5Lcreate_soft(target.data(), to.file, path.c_str(), to.creation, H5P_DEFAULT), path);
}

void copy_external_link(hid_t from, const LinkPlace& to, const std::string& path, size_t size) {
  std::vector<char> value(size + 1);
  checked(H5Lget_val(from, path.c_str(), value.data(), size, H5P_DEFAULT), path);
  const char *file = nullptr, *object = nullptr;
  checked(H5Lunpack_elink_val(value.data(), size, nullptr, &file, &object), path);
  checked(H5Lcreate_external(file, object, to.file, path.c_str(), to.creation, H5P_DEFAULT), path);
}

class Carrier {
 public:
  Carrier(hid_t from, hid_t to, const IsOwn& is_own) : from_(from), to_(to), is_own_(is_own) {
    checked(H5Pset_create_intermediate_group(creation_, 1), "links");
  }

  // What stands in a group of the earlier file; "" is the root. Whether some of it is the
  // program's own: such a group is not made again where it has gone.
  bool carry_group(const std::string& group) {
    const Handle opened(H5Gopen2(from_, ("/" + group).c_str(), H5P_DEFAULT), H5Gclose, group);
    H5O_info_t info{};
    checked(H5Oget_info2(opened, &info, H5O_INFO_BASIC), group);
    if (!seen_.insert(info.addr).second) return false;  // a link that leads in a circle
    std::vector<std::string> names;
    const auto collect = [](hid_t, const char* name, const H5L_info_t*, void* list) -> herr_t {
      static_cast<std::vector<std::string>*>(list)->emplace_back(name);
      return 0;
    };
    checked(H5Literate(opened, H5_INDEX_NAME, H5_ITER_INC, nullptr, collect, &names), group);
    bool own = exists(group);
    for (const std::string& name : names) own |= carry(group.empty() ? name : group + "/" + name);
    if (!own && !exists(group)) {
      const Handle made(H5Gcreate2(to_, group.c_str(), creation_, H5P_DEFAULT, H5P_DEFAULT),
                        H5Gclose, group);
    }
    if (exists(group)) {
      const Handle here(H5Gopen2(to_, ("/" + group).c_str(), H5P_DEFAULT), H5Gclose, group);
      copy_attributes(opened, here);
    }
    return own;
  }

 private:
  bool exists(const std::string& path) const {
    for (size_t slash = path.find('/'); slash != std::string::npos;
         slash = path.find('/', slash + 1)) {
      if (checked(H5Lexists(to_, path.substr(0, slash).c_str(), H5P_DEFAULT), path) == 0)
        return false;
    }
    return path.empty() || checked(H5Lexists(to_, path.c_str(), H5P_DEFAULT), path) > 0;
  }

  bool carry(const std::string& path) {
    H5L_info_t link{};
    checked(H5Lget_info(from_, path.c_str(), &link, H5P_DEFAULT), path);
    if (link.type == H5L_TYPE_SOFT || link.type == H5L_TYPE_EXTERNAL) {
      const bool soft = link.type == H5L_TYPE_SOFT;
      if (!exists(path)) {
        (soft ? copy_soft_link : copy_external_link)(from_, {to_, creation_}, path,
                                                     link.u.val_size);
      }
      return false;
    }
    const Handle object(H5Oopen(from_, path.c_str(), H5P_DEFAULT), H5Oclose, path);
    if (H5Iget_type(object) == H5I_GROUP) return carry_group(path);
    if (exists(path)) {
      const Handle here(H5Oopen(to_, path.c_str(), H5P_DEFAULT), H5Oclose, path);
      copy_attributes(object, here);
      return true;
    }
    std::vector<std::string> others;
    if (is_own_(path, read_attributes(object, others))) return true;
    checked(H5Ocopy(from_, path.c_str(), to_, path.c_str(), H5P_DEFAULT, creation_), path);
    return false;
  }

  hid_t from_, to_;
  const IsOwn& is_own_;
  Handle creation_{H5Pcreate(H5P_LINK_CREATE), H5Pclose, "links"};
  std::set<haddr_t> seen_;
};

}  // namespace

void carry_over(const Earlier& earlier, hid_t file) {
  const Handle from = open_image(earlier.image, earlier_file);
  Carrier(from, file, earlier.is_own).carry_group("");
}

}  // namespace relbias::results::hdf5
